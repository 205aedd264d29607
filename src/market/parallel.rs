//! Work on many rows, divided between two threads where it is worth the start of one.

use std::ops::Range;

/// Below so many pieces (words of 64 rows, or lines) one thread is faster.
const WORTH_IT: usize = if cfg!(test) { 8 } else { 1024 };

/// Does `work` on both halves of `span` at once, and hands back what each found, in order.
pub(crate) fn halves<T: Send>(
    span: Range<usize>,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    if span.len() < WORTH_IT {
        return vec![work(span)];
    }
    let middle = span.start + span.len() / 2;
    let (start, end) = (span.start, span.end);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| work(middle..end));
        let first = work(start..middle);
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

/// Fills a column by `value` of each place, on two threads.
pub(crate) fn fill(column: &mut [u64], value: impl Fn(usize) -> u64 + Sync) {
    let fill = |from: usize, part: &mut [u64]| {
        for (at, cell) in part.iter_mut().enumerate() {
            *cell = value(from + at);
        }
    };
    if column.len() < WORTH_IT * 16 {
        return fill(0, column);
    }
    let middle = column.len() / 2;
    let (first, second) = column.split_at_mut(middle);
    std::thread::scope(|scope| {
        scope.spawn(|| fill(middle, second));
        fill(0, first);
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
            let mut squares = vec![0; len];
            fill(&mut squares, |at| (at * at) as u64);
            assert!((0..len).all(|at| squares[at] == (at * at) as u64));
            let (mut a, mut b) = (vec![0; len], vec![0; len]);
            fill_words(&mut a, &mut b, |at| (at as u64, at as u64 * 2));
            assert!((0..len).all(|at| a[at] == at as u64 && b[at] == at as u64 * 2));
        }
    }
}
