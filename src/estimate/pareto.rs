//! The front of cost against hours.

/// The points that no other point beats in both dollars and hours, from the cheapest to the fastest:
/// each further one costs more and takes less time. Points are (dollars, hours); those that are not
/// finite are left out. Of equal points the first is on the front.
pub fn front(points: &[(f64, f64)]) -> Vec<usize> {
    let finite = |i: &usize| points.get(*i).is_some_and(|p| p.0.is_finite() && p.1.is_finite());
    let at = |i: usize| points.get(i).copied().unwrap_or((f64::INFINITY, f64::INFINITY));
    let mut order: Vec<usize> = (0..points.len()).filter(finite).collect();
    order.sort_by(|a, b| {
        let (a, b) = (at(*a), at(*b));
        a.0.total_cmp(&b.0).then_with(|| a.1.total_cmp(&b.1))
    });
    let mut fastest = f64::INFINITY;
    order.retain(|i| {
        let better = at(*i).1 < fastest;
        fastest = fastest.min(at(*i).1);
        better
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_beaten_in_both_is_not_on_the_front() {
        let points = [(10.0, 5.0), (8.0, 9.0), (12.0, 4.0), (9.0, 9.5), (8.0, 9.0), (20.0, 4.0)];
        assert_eq!(front(&points), [1, 0, 2]);
        assert_eq!(front(&[(f64::NAN, 1.0), (1.0, f64::INFINITY)]), Vec::<usize>::new());
        assert!(front(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn every_point_is_on_the_front_or_beaten_by_one(
            points in proptest::collection::vec((0.0..100.0_f64, 0.0..100.0_f64), 0..60),
        ) {
            let front = front(&points);
            for (i, p) in points.iter().enumerate() {
                let beaten = |q: &(f64, f64)| q.0 <= p.0 && q.1 <= p.1 && q != p;
                let equal = front.iter().any(|f| points[*f] == *p);
                prop_assert_eq!(equal, !points.iter().any(beaten), "{} {:?}", i, p);
            }
            for pair in front.windows(2) {
                prop_assert!(points[pair[0]].0 < points[pair[1]].0);
                prop_assert!(points[pair[0]].1 > points[pair[1]].1);
            }
        }
    }
}
