public import DuramenStore

extension FaultyStore {
    /// Saves a group, or fails before or after it. Its change sets follow the plan too.
    public func save(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        do throws(StoreError) {
            guard let failure = try plan.begin(.saveGroup) else { return written(group) }
            if failure.moment == .after { _ = written(group) }
            throw failure.error
        } catch {
            return group.map { _ in .failure(error) }
        }
    }

    private func written(_ group: [ChangeSet]) -> [Result<SaveOutcome, StoreError>] {
        guard plan.comparesVersions, base.capabilities.contains(.groupSaves),
            let grouping = base as? any GroupSavingStore
        else {
            return group.map { changes in
                Result { () throws(StoreError) in try save(changes) }
            }
        }
        let failures = group.map { _ in
            Result { () throws(StoreError) in try plan.begin(.save) }
        }
        // The change sets that fail before their work are left out.
        let sent = group.indices.filter { index in
            switch failures[index] {
            case .success(let failure): failure?.moment != .before
            case .failure: false
            }
        }
        let results = Dictionary(
            uniqueKeysWithValues: zip(sent, grouping.save(sent.map { group[$0] })))
        return group.indices.map { index in
            switch failures[index] {
            case .success(nil): results[index] ?? .failure(StoreError(.io, "A result is missing."))
            case .success(let failure?): .failure(failure.error)
            case .failure(let error): .failure(error)
            }
        }
    }
}
