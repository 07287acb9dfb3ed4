//! Allocation of an insufficient amount, to the cent.
//!
//! Shares are proportional to weights, up to the limit of each share; the excess is reallocated by the same
//! weights until nothing changes. Remaining cents go to the largest remainders, the first of equal ones. So
//! parts add up to the cent and depend on weights and limits only.

/// A share, in cents.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    /// Weight; 0 for no share.
    pub weight: i64,
    /// Maximum.
    pub limit: i64,
    /// Allocated part.
    pub part: i64,
    /// Round in which it reached its limit, otherwise the last round.
    pub round: u32,
    /// Cents moved to the share (negative: from it), so that no share is empty.
    pub moved: i64,
    /// Remainder of rounding down.
    rest: i128,
}

impl Share {
    /// Creates a share with a weight and a maximum.
    pub fn new(weight: i64, limit: i64) -> Self {
        Self { weight: if limit > 0 { weight } else { 0 }, limit, ..Self::default() }
    }

    /// Allocates the maximum.
    pub fn allocate_maximum(self) -> Self {
        Self { part: self.limit, ..self }
    }

    /// Whether it has a weight.
    pub fn has_weight(&self) -> bool {
        self.weight > 0
    }
}

/// Allocates the pot; sets `part` and `round` of each share.
pub(super) fn divide_pot<L>(mut pot: i64, lines: &mut [L], share: impl Fn(&mut L) -> &mut Share) {
    const OPEN: u32 = u32::MAX;
    for line in &mut *lines {
        let share = share(line);
        (share.part, share.moved) = (0, 0);
        share.round = if share.has_weight() { OPEN } else { 0 };
    }
    let mut round = 0;
    loop {
        let open = |share: &&mut Share| share.round == OPEN;
        let total: i128 =
            lines.iter_mut().map(&share).filter(open).map(|share| i128::from(share.weight)).sum();
        let mut passed_on = 0;
        for share in lines.iter_mut().map(&share).filter(open) {
            if i128::from(pot) * i128::from(share.weight) >= i128::from(share.limit) * total {
                (share.part, share.round) = (share.limit, round);
                passed_on += share.limit;
            }
        }
        if passed_on == 0 {
            let mut left = pot;
            for share in lines.iter_mut().map(&share).filter(open) {
                let exact = i128::from(pot) * i128::from(share.weight);
                // Below the limit; otherwise an earlier round would have closed the share.
                share.part = i64::try_from(exact / total).unwrap_or(share.limit);
                share.rest = exact % total;
                left -= share.part;
            }
            hand_out(left, OPEN, lines, &share);
            for share in lines.iter_mut().map(&share).filter(open) {
                share.round = round;
            }
            return;
        }
        pot -= passed_on;
        round += 1;
    }
}

/// Gives a cent each to the largest remainders. There are fewer cents than open shares, or no open share.
fn hand_out<L>(cents: i64, open: u32, lines: &mut [L], share: &impl Fn(&mut L) -> &mut Share) {
    for _ in 0..cents {
        let mut largest: Option<&mut Share> = None;
        for share in lines.iter_mut().map(share).filter(|share| share.round == open && share.rest >= 0) {
            if largest.as_ref().is_none_or(|largest| share.rest > largest.rest) {
                largest = Some(share);
            }
        }
        let Some(share) = largest else { return };
        share.part += 1;
        share.rest = -1;
    }
}

/// Moves single cents so that each weighted share has at least one, if there are enough cents.
pub(super) fn a_cent_each<L>(lines: &mut [L], share: impl Fn(&mut L) -> &mut Share) {
    let (mut count, mut cents) = (0, 0);
    for share in lines.iter_mut().map(&share).filter(|share| share.has_weight()) {
        count += 1;
        cents += share.part;
    }
    if cents < count {
        return;
    }
    while let Some(poor) =
        lines.iter_mut().map(&share).position(|share| share.has_weight() && share.part == 0)
    {
        let mut richest: Option<&mut Share> = None;
        for share in lines.iter_mut().map(&share) {
            if richest.as_ref().is_none_or(|richest| share.part > richest.part) {
                richest = Some(share);
            }
        }
        if let Some(share) = richest {
            share.part -= 1;
            share.moved -= 1;
        }
        let poor = share(&mut lines[poor]);
        poor.part += 1;
        poor.moved += 1;
    }
}
