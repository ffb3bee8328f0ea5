/// The followers of a live list: a delegate, listeners and observers.
struct ListFollower {
    /// Whether there is one; asked at each change.
    let isThere: () -> Bool
    /// Whether one of them receives the changes of single objects; asked at each change.
    let wantsChanges: () -> Bool
    let tell: (TrackedList.Event) -> Void
}
