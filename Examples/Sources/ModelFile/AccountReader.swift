import Duramen

/// Makes objects of the lines of `/etc/passwd` and `/etc/group`, or changes those that are there.
///
/// A line is a list of fields between colons; one with too few of them is passed over.
struct AccountReader {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// `name:password:number:members`, the members between commas.
    func readGroups(_ lines: [String]) throws {
        for fields in lines.map(Self.fields) where fields.count >= 4 {
            // `find` is generated for what the model calls unique.
            let group = try Group.find(name: fields[0], in: context) ?? Group(context: context)
            group.name = fields[0]
            group.number = Int64(fields[2]) ?? -1
            for login in fields[3].split(separator: ",") {
                group.members.insert(try account(String(login)))
            }
        }
    }

    /// `login:password:number:group:remark:home:shell`; the remark has fields of its own between
    /// commas.
    func readUsers(_ lines: [String]) throws {
        for fields in lines.map(Self.fields) where fields.count >= 7 {
            let account = try account(fields[0])
            account.number = Int64(fields[2]) ?? -1
            account.primaryGroup = try group(numbered: Int64(fields[3]) ?? -1)
            account.home = fields[5]
            account.shell = fields[6].isEmpty ? nil : fields[6]
            let remark = fields[4].split(separator: ",", omittingEmptySubsequences: false)
            // A composite of the model is a struct.
            account.person = Person(
                fullName: remark.first.flatMap { $0.isEmpty ? nil : String($0) },
                room: remark.count > 1 && !remark[1].isEmpty ? String(remark[1]) : nil)
        }
    }

    private func account(_ login: String) throws -> Account {
        if let account = try Account.find(login: login, in: context) { return account }
        let account = Account(context: context)
        account.login = login
        return account
    }

    private func group(numbered number: Int64) throws -> Group? {
        try context.fetch(FetchRequest<Group>().where { $0.number == number }.limit(1)).first
    }

    private static func fields(_ line: String) -> [String] {
        line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
}
