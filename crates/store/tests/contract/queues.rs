//! Queues that fill up, and units that wait too long.

use super::*;

#[test]
fn a_full_queue_is_answered_at_once() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open_with(|options| {
            options.queue = 1;
            options.threads = Some(1);
        });
        let units: Vec<_> = (0..8)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    store
                        .write(|_| {
                            std::thread::sleep(Duration::from_millis(30));
                            Ok::<_, Error>(())
                        })
                        .await
                })
            })
            .collect();
        let mut busy = 0;
        for unit in units {
            busy += usize::from(matches!(unit.await.unwrap(), Err(Error::Busy)));
        }
        assert!(busy >= 4, "{busy} of 8 were told that the store is busy");
    });
}

#[test]
fn slow_writes_that_fill_their_queue_refuse_no_read() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // one thread does everything
        }
        let store = bench.open_with(|options| {
            options.queue = 2;
            options.threads = Some(2);
        });
        let slow = || {
            let store = store.clone();
            tokio::spawn(async move {
                let slow = |_: &mut Tx<'_>| {
                    std::thread::sleep(Duration::from_millis(600));
                    Ok::<_, Error>(())
                };
                store.write(slow).await
            })
        };
        let writes: Vec<_> = (0..8).map(|_| slow()).collect();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let asked = store::Clock::monotonic();
        for _ in 0..20 {
            store.read(|_| Ok::<_, Error>(())).await.unwrap();
        }
        let waited = store::Clock::monotonic().saturating_sub(asked);
        assert!(waited < Duration::from_millis(400), "reads waited {waited:?} for writes of 600 ms");
        let mut busy = 0;
        for write in writes {
            busy += usize::from(matches!(write.await.unwrap(), Err(Error::Busy)));
        }
        assert!(busy >= 3, "{busy} of 8 writes found their queue full");
    });
}

#[test]
fn a_unit_that_would_wait_too_long_is_refused_at_once_and_those_let_in_are_all_done() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open_with(|options| options.threads = Some(1));
        let unit = || {
            let store = store.clone();
            async move {
                let slow = |_: &mut Tx<'_>| {
                    std::thread::sleep(Duration::from_millis(1));
                    Ok::<_, Error>(())
                };
                store.write(slow).await
            }
        };
        for _ in 0..60 {
            unit().await.unwrap();
        }
        // At a millisecond each the last of these would wait for two seconds.
        let crowd: Vec<_> = (0..2_000).map(|_| tokio::spawn(unit())).collect();
        let (mut done, mut busy) = (0, 0);
        for unit in crowd {
            match unit.await.unwrap() {
                Ok(()) => done += 1,
                Err(Error::Busy) => busy += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert!(done >= 200 && busy >= 1_000, "{done} done, {busy} refused");
        unit().await.unwrap();
    });
}
