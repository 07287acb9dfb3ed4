//! Units that fail: in a group, in conflict with each other, and alone.

use super::*;

#[test]
fn a_refused_unit_leaves_nothing_behind() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let refused = store
            .write(|tx| note(tx, "gone").and(Err::<(), _>(Error::Sealed("refused by the closure"))))
            .await;
        assert!(matches!(refused, Err(Error::Sealed(_))));
        assert_eq!(notes(&store).await, 0);
    });
}

#[test]
fn a_panic_rolls_back_its_own_unit_and_the_thread_goes_on() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        for _ in 0..40 {
            let panicked = store
                .write(|tx| -> Result<(), Error> {
                    note(tx, "gone")?;
                    panic!("a mistake in a service")
                })
                .await;
            assert!(matches!(panicked, Err(Error::Panicked(text)) if text == "a mistake in a service"));
        }
        store.write(|tx| note(tx, "kept")).await.unwrap();
        assert_eq!(notes(&store).await, 1);
    });
}

#[test]
fn a_unit_that_swallows_a_failed_statement_is_refused_all_the_same() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let swallowed = store
            .write(|tx| {
                note(tx, "gone")?;
                tx.find_row(NO_SUCH_TABLE, params![], |row| row.get::<i64>(0)).ok();
                Ok::<_, Error>(())
            })
            .await;
        assert!(matches!(swallowed, Err(Error::Engine(_))), "{swallowed:?}");
        assert_eq!(notes(&store).await, 0);
    });
}

#[test]
#[cfg(debug_assertions)]
fn a_change_whose_row_count_nobody_looks_at_is_a_panic_in_tests() {
    on_both_engines(async |bench: Bench| {
        let unseen = bench
            .open()
            .write(|tx| {
                let _changed = tx.change_rows(ADD, params![1, company()])?;
                Ok::<_, Error>(())
            })
            .await;
        assert!(matches!(unseen, Err(Error::Panicked(text)) if text.contains("nobody looked")));
    });
}

/// What a unit of a group of three does wrong, and what its caller is answered.
const TROUBLES: [(&str, Trouble, Told); 4] = [
    ("full", fill_the_disk, |e| matches!(e, Error::Full)),
    ("interrupted", |tx| tx.insert_row(TAKES_FOREVER, params![company()]), |e| matches!(e, Error::Busy)),
    ("panic", |_| panic!("a mistake"), |e| matches!(e, Error::Panicked(_))),
    ("constraint", insert_twice, |e| matches!(e, Error::Engine(_) | Error::Busy)),
];

type Trouble = fn(&mut Tx<'_>) -> Result<(), Error>;

type Told = fn(&Error) -> bool;

fn fill_the_disk(tx: &mut Tx<'_>) -> Result<(), Error> {
    let id = tx.new_id();
    let large = vec![7_u8; 8 << 20];
    let params = params![company(), id, "", 1, true, None::<jiff::civil::Date>, tx.now(), &large, Json("1")];
    tx.insert_row(INSERT_VALUE, params)
}

fn insert_twice(tx: &mut Tx<'_>) -> Result<(), Error> {
    tx.insert_row(START, params![company()])?;
    tx.insert_row(START, params![company()])
}

#[test]
fn a_unit_that_fails_in_a_group_of_three_takes_no_neighbour_with_it() {
    on_both_engines(async |bench: Bench| {
        for (name, trouble, told) in TROUBLES {
            if name == "full" && !bench.is_file() {
                continue; // a server's disk cannot be filled from here
            }
            let at = |position| {
                let group = a_group_of_three(bench.fresh(), trouble, position);
                async move {
                    let (answers, noted) = group.await;
                    for (unit, answer) in answers.iter().enumerate() {
                        match answer {
                            Ok(()) => assert_ne!(
                                unit, position,
                                "{name} at {position}: the failing unit was acknowledged"
                            ),
                            Err(error) => assert!(
                                unit == position && told(error),
                                "{name} at {position}: unit {unit} was told {error}"
                            ),
                        }
                    }
                    assert_eq!(noted, 2, "{name} at {position}");
                }
            };
            tokio::join!(at(0), at(1), at(2));
        }
    });
}

/// Three units that become one group, of which the one at `position` gets into trouble: what each was answered, and how
/// many notes there are.
async fn a_group_of_three(bench: Bench, trouble: Trouble, position: usize) -> ([Result<(), Error>; 3], i64) {
    let store = bench.open_with(|options| {
        options.unit_limit = Duration::from_millis(400);
        options.max_pages = Some(400);
    });
    // The writer is held up, so that the three wait together.
    let held = store.write(|_| {
        std::thread::sleep(Duration::from_millis(60));
        Ok::<_, Error>(())
    });
    let unit = async |number: usize| {
        tokio::time::sleep(Duration::from_millis(20)).await;
        store
            .write(move |tx| {
                note(tx, "a neighbour")?;
                if number == position { trouble(tx) } else { Ok(()) }
            })
            .await
    };
    let (held, first, second, third) = tokio::join!(held, unit(0), unit(1), unit(2));
    held.unwrap();
    ([first, second, third], notes(&store).await)
}
