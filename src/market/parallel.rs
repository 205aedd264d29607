//! Work on many rows, divided between two threads where it is worth the start of one.

use std::ops::Range;

/// Below so many pieces (words of 64 rows, or lines) one thread is faster.
const WORTH_IT: usize = if cfg!(test) { 8 } else { 1024 };

/// Does `work` on both halves of `span` at once, and hands back what each found, in order.
pub(crate) fn halves<T: Send>(
    span: Range<usize>,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let start = span.start;
    halves_of(span.len(), WORTH_IT, |part| work(start + part.start..start + part.end))
}

/// The same for `0..len`, where two threads are worth it from `worth_it` pieces on.
pub(crate) fn halves_of<T: Send>(
    len: usize,
    worth_it: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    if len < worth_it {
        return vec![work(0..len)];
    }
    let middle = len / 2;
    std::thread::scope(|scope| {
        let second = scope.spawn(|| work(middle..len));
        let first = work(0..middle);
        match second.join() {
            Ok(second) => vec![first, second],
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Fills two columns of words, each pair by `words` of its place, on two threads.
pub(crate) fn fill_words(a: &mut [u64], b: &mut [u64], words: impl Fn(usize) -> (u64, u64) + Sync) {
    let fill = |from: usize, a: &mut [u64], b: &mut [u64]| {
        for (at, (a, b)) in a.iter_mut().zip(b).enumerate() {
            (*a, *b) = words(from + at);
        }
    };
    if a.len() < WORTH_IT {
        return fill(0, a, b);
    }
    let middle = a.len() / 2;
    let (a1, a2) = a.split_at_mut(middle);
    let (b1, b2) = b.split_at_mut(middle.min(b.len()));
    std::thread::scope(|scope| {
        scope.spawn(|| fill(middle, a2, b2));
        fill(0, a1, b1);
    });
}

/// Fills three columns of one length by the `values` of each place, on two threads.
pub(crate) fn fill_three(
    a: &mut [f64],
    b: &mut [f64],
    c: &mut [f64],
    values: impl Fn(usize) -> [f64; 3] + Sync,
) {
    let fill = |from: usize, a: &mut [f64], b: &mut [f64], c: &mut [f64]| {
        for (at, ((a, b), c)) in a.iter_mut().zip(b).zip(c).enumerate() {
            [*a, *b, *c] = values(from + at);
        }
    };
    if a.len() < WORTH_IT {
        return fill(0, a, b, c);
    }
    let middle = a.len() / 2;
    let (a1, a2) = a.split_at_mut(middle);
    let (b1, b2) = b.split_at_mut(middle.min(b.len()));
    let (c1, c2) = c.split_at_mut(middle.min(c.len()));
    std::thread::scope(|scope| {
        scope.spawn(|| fill(middle, a2, b2, c2));
        fill(0, a1, b1, c1);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_are_worked_on() {
        for len in [0, 10, WORTH_IT * 33 + 1] {
            let sums = halves(0..len, Iterator::sum::<usize>);
            assert_eq!(sums.iter().sum::<usize>(), (0..len).sum::<usize>());
            let [mut x, mut y, mut z] = [(); 3].map(|()| vec![0.0; len]);
            fill_three(&mut x, &mut y, &mut z, |at| [at as f64, at as f64 + 0.5, -(at as f64)]);
            assert!(
                (0..len)
                    .all(|at| (x[at], y[at], z[at]) == (at as f64, at as f64 + 0.5, -(at as f64)))
            );
            let (mut a, mut b) = (vec![0; len], vec![0; len]);
            fill_words(&mut a, &mut b, |at| (at as u64, at as u64 * 2));
            assert!((0..len).all(|at| a[at] == at as u64 && b[at] == at as u64 * 2));
        }
    }
}
