import Duramen
import Foundation

// A model whose objects are mostly counted and summed up: every kind of number, nulls, inheritance.

/// Slots go by name: amount, code, day, quantity, shop, title, weight.
class Sale: ManagedObject {
    var amount: Decimal? {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var code: String {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    var day: Date? {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var quantity: Int? {
        get { attribute(at: 3) }
        set { setAttribute(newValue, at: 3) }
    }
    var shop: Shop? {
        get { toOne(at: 4) }
        set { setToOne(newValue, at: 4) }
    }
    var title: String? {
        get { attribute(at: 5) }
        set { setAttribute(newValue, at: 5) }
    }
    var weight: Double? {
        get { attribute(at: 6) }
        set { setAttribute(newValue, at: 6) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Sale",
            attributes: [
                .of(Decimal?.self, name: "amount"), .of(String.self, name: "code"),
                .of(Date?.self, name: "day"), .of(Int?.self, name: "quantity"),
                .of(String?.self, name: "title"), .of(Double?.self, name: "weight"),
            ],
            relationships: [.toOne("shop", destination: Shop.self)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Sale.amount: "amount", \Sale.code: "code", \Sale.day: "day",
        \Sale.quantity: "quantity", \Sale.shop: "shop", \Sale.title: "title",
        \Sale.weight: "weight",
    ])
}

final class OnlineSale: Sale {
    var host: String? {
        get { attribute(at: 7) }
        set { setAttribute(newValue, at: 7) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "OnlineSale", superentity: "Sale",
            attributes: [.of(String?.self, name: "host")])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        onlineNames[keyPath] ?? super.propertyName(for: keyPath)
    }

    private static let onlineNames = ManagedKeyPaths([\OnlineSale.host: "host"])
}

final class Shop: ManagedObject {
    var city: String? {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var name: String {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    var sales: ToMany<Sale> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Shop",
            attributes: [.of(String?.self, name: "city"), .of(String.self, name: "name")],
            relationships: [
                .toMany("sales", destination: Sale.self, inverse: \Sale.shop)
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Shop.city: "city", \Shop.name: "name", \Shop.sales: "sales",
    ])
}

enum Sales {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(Sale.self, OnlineSale.self, Shop.self)
        } catch {
            fatalError("\(error)")
        }
    }()

    /// Two shops, Mill in Ulm and Quay without a city; eight sales, the last without a shop.
    ///
    /// | code | shop | title | quantity | weight | amount |
    /// |---|---|---|---|---|---|
    /// | a | Mill | bread | 2 | 1.5 | 3.10 |
    /// | b | Mill | Bread | 1 | null | 1.55 |
    /// | c | Quay | fish | null | 0.25 | 12 |
    /// | d | Quay | null | 5 | 2.5 | null |
    /// | e | Mill | bread | 7 | 4 | 0.05 |
    /// | f | Quay | fish | 1 | 1 | 8.8 |
    /// | g (online) | Quay | bread | 3 | 0.5 | 4.65 |
    /// | h | null | null | null | null | null |
    static func fill(_ context: ManagedObjectContext) throws {
        let mill = Shop(context: context)
        (mill.name, mill.city) = ("Mill", "Ulm")
        let quay = Shop(context: context)
        quay.name = "Quay"
        let rows: [(String, Shop?, String?, Int?, Double?, Decimal?)] = [
            ("a", mill, "bread", 2, 1.5, Decimal(string: "3.10")),
            ("b", mill, "Bread", 1, nil, Decimal(string: "1.55")),
            ("c", quay, "fish", nil, 0.25, 12), ("d", quay, nil, 5, 2.5, nil),
            ("e", mill, "bread", 7, 4, Decimal(string: "0.05")),
            ("f", quay, "fish", 1, 1, Decimal(string: "8.8")),
            ("g", quay, "bread", 3, 0.5, Decimal(string: "4.65")), ("h", nil, nil, nil, nil, nil),
        ]
        for (number, row) in rows.enumerated() {
            let sale = row.0 == "g" ? OnlineSale(context: context) : Sale(context: context)
            (sale.code, sale.shop, sale.title) = (row.0, row.1, row.2)
            (sale.quantity, sale.weight, sale.amount) = (row.3, row.4, row.5)
            sale.day =
                row.0 == "h" ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
            // One by one, so that IDs follow the codes.
            try context.save()
        }
    }

    // Not results of either kind: those carry tags in their references, which hide them from the
    // check for leaks.
    private static let containers = StoreKind.allCases.map { try? container($0) }

    /// One for all tests that change nothing.
    static func shared(_ kind: StoreKind) throws -> PersistentContainer {
        let place = StoreKind.allCases.firstIndex(of: kind)
        // One that could not be made says why when it is made again.
        return try place.flatMap { containers[$0] } ?? container(kind)
    }

    /// A container over a new store with all that.
    static func container(_ kind: StoreKind) throws -> PersistentContainer {
        let container = try kind.container(model)
        try container.saveElsewhere { try fill($0) }
        return container
    }
}

extension FetchedDictionary {
    /// The values as words, for tables of expectations.
    var words: String {
        values.map { value in
            switch value {
            case .null: "-"
            case .integer(let number): "\(number)"
            case .double(let number): "\(number)"
            case .decimal(let number): "\(number)d"
            case .text(let text), .uri(let text): text.string
            case .boolean(let flag): "\(flag)"
            case .date(let date): "\(Int(date.timeIntervalSinceReferenceDate / 86_400))."
            case .binary, .uuid: "?"
            case .objectID(let id): id.entityName
            }
        }.joined(separator: " ")
    }
}
