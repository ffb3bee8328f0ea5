import Duramen
import ExampleSupport

/// What the accounts of a machine look like, asked of the objects.
struct AccountReport {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    var text: String {
        get throws {
            let accounts = try context.count(for: FetchRequest<Account>())
            let groups = try context.count(for: FetchRequest<Group>())
            // The two requests of the model are functions of its classes.
            let barred = try context.count(for: Account.withoutShell())
            let people = try context.count(for: Account.numbered(range: 1_000...59_999))
            return """
                \(accounts) accounts, \(barred) of them without a shell, \(people) of people; \(groups) groups

                \(try shells)

                \(try largestGroups)
                """
        }
    }

    private var shells: Table {
        get throws {
            var table = Table([.init("Shell"), .init("Accounts", .trailing), .init("For example")])
            let request = FetchRequest<Account>().where { $0.shell != nil }.sorted(by: \.number)
            let accounts = Dictionary(grouping: try context.fetch(request)) { $0.shell ?? "" }
            let sorted = accounts.sorted {
                ($1.value.count, $0.key) < ($0.value.count, $1.key)
            }
            for (shell, accounts) in sorted {
                let logins = accounts.prefix(4).map(\.login).joined(separator: ", ")
                table.append([shell, "\(accounts.count)", logins])
            }
            return table
        }
    }

    private var largestGroups: Table {
        get throws {
            var table = Table([.init("Group"), .init("Members", .trailing), .init("For example")])
            let groups = try context.fetch(FetchRequest<Group>().sorted(by: \.name))
            let sizes = groups.map {
                (group: $0, count: $0.members.count + $0.primaryMembers.count)
            }
            for (group, count) in sizes.sorted(by: { $0.count > $1.count }).prefix(5) {
                let logins = (group.members.map(\.login) + group.primaryMembers.map(\.login))
                table.append(
                    [group.name, "\(count)", logins.sorted().prefix(4).joined(separator: ", ")])
            }
            return table
        }
    }
}
