import Duramen

extension GrowthRow {
    /// To-manys with many members.
    static var relationships: [GrowthRow] { [pairs, mergedMembers, oneMore, growing, middle] }

    private static var pairs: GrowthRow {
        GrowthRow(
            number: "20", word: "pairs", unit: "pair", size: 100_000, countedSize: 500,
            must: .nanoseconds(2_500)
        ) { kind, count in
            let workspace = try Workspace(kind)
            let perItem = 10
            let tagCount = 100
            let context = workspace.makeContext()
            let tags = (0..<tagCount).map { number in
                let tag = Tag(context: context)
                tag.number = Int64(number)
                return tag
            }
            let items = (0..<count / perItem).map { Item.insert($0, in: context) }
            try context.save()
            for (number, item) in items.enumerated() {
                for step in 0..<perItem { item.tags.insert(tags[(number + step * 7) % tagCount]) }
            }
            return Work(units: count) {
                try context.save()
                withExtendedLifetime((workspace, items, tags)) {}
            }
        }
    }

    private static var mergedMembers: GrowthRow {
        GrowthRow(
            number: "21", word: "merged-members", unit: "member", size: 10_000, countedSize: 300,
            must: .nanoseconds(1_000)
        ) { kind, count in
            let workspace = try Workspace(kind)
            let context = workspace.makeContext()
            let group = try workspace.walkedGroup(of: count, in: context)
            let owner = group.objectID
            let more = count / 10
            try workspace.fill(count..<count + more) { context in
                let group = try context.existingObject(with: owner, as: Group.self)
                return { $0.group = group }
            }
            return Work(units: more) {
                context.processPendingChanges()
                try expect(group.items.count == count + more)
                withExtendedLifetime(workspace) {}
            }
        }
    }

    private static var oneMore: GrowthRow {
        GrowthRow(
            number: "22", word: "one-more-member", unit: "save", size: 20_000, countedSize: 300,
            must: .nanoseconds(200_000)
        ) { kind, count in
            let workspace = try Workspace(kind)
            let context = workspace.makeContext()
            let group = try workspace.walkedGroup(of: count, in: context)
            let saves = 20
            return Work(units: saves) {
                for step in 1...saves {
                    Item.insert(count + step, in: context).group = group
                    try expect(group.items.count == count + step)
                    try context.save()
                }
                withExtendedLifetime(workspace) {}
            }
        }
    }

    private static var growing: GrowthRow {
        GrowthRow(
            number: "22", word: "growing-group", unit: "member", size: 10_000, countedSize: 300
        ) { kind, count in
            let workspace = try Workspace(kind)
            let context = workspace.makeContext()
            let group = Group(context: context)
            return Work(units: count) {
                for number in 0..<count {
                    Item.insert(number, in: context).group = group
                    if number % 100 == 0 { try expect(group.items.count == number + 1) }
                }
                withExtendedLifetime(workspace) {}
            }
        }
    }

    private static var middle: GrowthRow {
        GrowthRow(
            number: "23", word: "ordered-middle", unit: "insertion", size: 10_000, countedSize: 300,
            must: .nanoseconds(100_000)
        ) { kind, count in
            let workspace = try Workspace(kind)
            let owner = try workspace.list(of: count)
            let context = workspace.makeContext()
            let list = try context.existingObject(with: owner, as: List.self)
            try expect(list.items.count == count)
            // The first one, and the first look at a place after it, build what the others need.
            list.items.insert(Item.insert(2 * count, in: context), at: count / 2)
            _ = list.items[count / 2]
            // Enough of them that a table that doubles once, as tables do, weighs little.
            let insertions = 1_000
            return Work(units: insertions) {
                for step in 0..<insertions {
                    let item = Item.insert(count + step, in: context)
                    list.items.insert(item, at: count / 2)
                    try expect(list.items[count / 2] == item)
                }
                withExtendedLifetime(workspace) {}
            }
        }
    }
}

extension Workspace {
    /// A saved group with as many items, whose members another context knows.
    fileprivate func walkedGroup(
        of count: Int, in reader: ManagedObjectContext
    ) throws -> Group {
        let context = makeContext()
        let group = Group(context: context)
        for number in 0..<count { Item.insert(number, in: context).group = group }
        try context.save()
        let walked = try reader.existingObject(with: group.objectID, as: Group.self)
        try expect(walked.items.count == count)
        return walked
    }

    /// The ID of a saved list with as many items.
    fileprivate func list(of count: Int) throws -> ManagedObjectID {
        let context = makeContext()
        let list = List(context: context)
        for number in 0..<count { list.items.append(Item.insert(number, in: context)) }
        try context.save()
        return list.objectID
    }
}
