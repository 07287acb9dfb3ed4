//! The split of pay among bank accounts, and how it changes when accounts are added and deleted.
//!
//! A split changes as little as possible. Without a split, the newest account gets everything. An account added to a
//! split gets nothing until it is given a share: 0 %, or 0 cents before the account that gets the remainder. The share
//! of a deleted account goes to the last remaining one.

use rules::payment::{Split, SplitBy};
use uuid::Uuid;

/// The split of an employee's pay; the shares are in order of priority, and there is at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// the unit of the shares
    pub by: SplitBy,
    /// percent or cents; `None` is the remainder
    pub splits: Vec<Split<Uuid>>,
}

impl Plan {
    /// Returns a split that gives everything to the newest of the accounts (which are in order of creation) and nothing
    /// to the others; `None` if there is no account.
    pub fn to_newest(accounts: &[Uuid]) -> Option<Self> {
        let (newest, others) = accounts.split_last()?;
        let whole = Self { by: SplitBy::Percentage, splits: vec![new_split(*newest, Some(100))] };
        Some(
            others
                .iter()
                .fold(whole.numbered_by_priority(), |plan, account| plan.with_added_account(*account)),
        )
    }

    /// Returns the split with an added account, which gets nothing yet.
    pub fn with_added_account(mut self, account: Uuid) -> Self {
        let place = match self.by {
            SplitBy::Percentage => self.splits.len(),
            SplitBy::Amount => self.splits.len().saturating_sub(1),
        };
        self.splits.insert(place, new_split(account, Some(0)));
        self.numbered_by_priority()
    }

    /// Returns the split without an account; `None` if it contains no other account.
    pub fn without_account(mut self, account: Uuid) -> Option<Self> {
        let Some(place) = self.splits.iter().position(|split| split.account == account) else {
            return Some(self);
        };
        let share = self.splits.remove(place).amount.unwrap_or(0);
        let last = self.splits.last_mut()?;
        last.amount = match self.by {
            SplitBy::Percentage => Some(last.amount.unwrap_or(0) + share),
            SplitBy::Amount => None,
        };
        Some(self.numbered_by_priority())
    }

    /// Returns the split in which another account has the share of an account, in addition to its own.
    pub fn with_redirected_share(mut self, from: Uuid, to: Uuid) -> Self {
        let place = |plan: &Self, account| plan.splits.iter().position(|split| split.account == account);
        if from == to || place(&self, from).is_none() {
            return self;
        }
        let own = place(&self, to).map_or(Some(0), |place| self.splits.remove(place).amount);
        let Some(place) = place(&self, from) else { return self };
        let share = self.splits.remove(place).amount;
        // The account with the remainder is the last one.
        let (place, amount) = match share.zip(own) {
            Some((share, own)) => (place, Some(share + own)),
            None => (self.splits.len(), None),
        };
        self.splits.insert(place, new_split(to, amount));
        self.with_added_account(from)
    }

    fn numbered_by_priority(mut self) -> Self {
        for (priority, split) in (1..).zip(&mut self.splits) {
            split.priority = priority;
        }
        self
    }
}

fn new_split(account: Uuid, amount: Option<i64>) -> Split<Uuid> {
    Split { account, priority: 0, amount }
}

#[cfg(test)]
mod tests {
    use rules::payment::check_splits;

    use super::*;

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    fn plan(by: SplitBy, shares: &[(u128, Option<i64>)]) -> Plan {
        let splits = shares.iter().map(|(account, amount)| new_split(id(*account), *amount)).collect();
        let plan = Plan { by, splits }.numbered_by_priority();
        assert!(check_splits(by, &plan.splits).is_empty(), "{plan:?}");
        plan
    }

    fn percent(shares: &[(u128, i64)]) -> Plan {
        let shares: Vec<_> = shares.iter().map(|(account, share)| (*account, Some(*share))).collect();
        plan(SplitBy::Percentage, &shares)
    }

    fn cents(shares: &[(u128, Option<i64>)]) -> Plan {
        plan(SplitBy::Amount, shares)
    }

    #[test]
    fn without_a_split_the_newest_account_gets_everything() {
        assert_eq!(Plan::to_newest(&[]), None);
        assert_eq!(Plan::to_newest(&[id(1)]), Some(percent(&[(1, 100)])));
        assert_eq!(Plan::to_newest(&[id(1), id(2), id(3)]), Some(percent(&[(3, 100), (1, 0), (2, 0)])));
    }

    #[test]
    fn an_added_account_gets_nothing_yet() {
        let halves = percent(&[(1, 50), (2, 50)]);
        assert_eq!(halves.with_added_account(id(3)), percent(&[(1, 50), (2, 50), (3, 0)]));
        let rest = cents(&[(1, Some(5_000)), (2, None)]);
        assert_eq!(rest.with_added_account(id(3)), cents(&[(1, Some(5_000)), (3, Some(0)), (2, None)]));
    }

    #[test]
    fn the_share_of_a_deleted_account_goes_to_the_last_one_left() {
        let thirds = percent(&[(1, 20), (2, 30), (3, 50)]);
        assert_eq!(thirds.clone().without_account(id(1)), Some(percent(&[(2, 30), (3, 70)])));
        assert_eq!(thirds.without_account(id(3)), Some(percent(&[(1, 20), (2, 80)])));
        let rest = cents(&[(1, Some(5_000)), (2, Some(700)), (3, None)]);
        assert_eq!(rest.clone().without_account(id(1)), Some(cents(&[(2, Some(700)), (3, None)])));
        assert_eq!(rest.without_account(id(3)), Some(cents(&[(1, Some(5_000)), (2, None)])));
    }

    #[test]
    fn a_split_ends_with_its_last_account_and_ignores_accounts_outside_it() {
        assert_eq!(percent(&[(1, 100)]).without_account(id(1)), None);
        assert_eq!(cents(&[(1, None)]).without_account(id(1)), None);
        assert_eq!(percent(&[(1, 100)]).without_account(id(2)), Some(percent(&[(1, 100)])));
    }

    #[test]
    fn a_share_goes_to_another_account_in_addition_to_its_own() {
        let to = |plan: Plan, from: u128, to: u128| plan.with_redirected_share(id(from), id(to));
        assert_eq!(to(percent(&[(1, 100)]), 1, 2), percent(&[(2, 100), (1, 0)]));
        assert_eq!(to(percent(&[(1, 60), (2, 40)]), 1, 2), percent(&[(2, 100), (1, 0)]));
        assert_eq!(to(percent(&[(1, 60), (2, 40)]), 3, 2), percent(&[(1, 60), (2, 40)]));
        let all = cents(&[(1, Some(5_000)), (2, Some(2_000)), (3, None)]);
        assert_eq!(to(all.clone(), 1, 2), cents(&[(2, Some(7_000)), (1, Some(0)), (3, None)]));
        assert_eq!(to(all.clone(), 1, 3), cents(&[(2, Some(2_000)), (1, Some(0)), (3, None)]));
        assert_eq!(to(all.clone(), 3, 1), cents(&[(2, Some(2_000)), (3, Some(0)), (1, None)]));
        assert_eq!(to(all, 3, 4), cents(&[(1, Some(5_000)), (2, Some(2_000)), (3, Some(0)), (4, None)]));
    }
}
