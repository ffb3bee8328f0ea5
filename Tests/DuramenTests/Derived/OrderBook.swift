import Duramen

/// Orders and their items, with what is derived of them.
enum OrderBook {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel([customer, order, item, coupon])
        } catch {
            fatalError("\(error)")
        }
    }()

    private static let customer = EntityDescription(
        name: "Customer",
        attributes: [
            AttributeDescription("name", .string),
            AttributeDescription("note", .string, isOptional: true),
            AttributeDescription("sortName", .string, isOptional: true)
                .derived(from: "canonical:(name)"),
            AttributeDescription("orderCount", .integer64, default: .integer(0))
                .derived(from: "orders.@count"),
        ],
        relationships: [
            .toMany("orders", destination: "Order", deleteRule: .cascade, inverse: "customer")
        ], indexes: [IndexDescription("orderCount")])

    private static let order = EntityDescription(
        name: "Order",
        attributes: [
            AttributeDescription("number", .integer64, default: .integer(0)),
            AttributeDescription("discount", .decimal, isOptional: true),
            AttributeDescription("customerName", .string, isOptional: true)
                .derived(from: "customer.name"),
            AttributeDescription("total", .decimal, default: .decimal(0))
                .derived(from: "items.price.@sum"),
            AttributeDescription("itemCount", .integer32, default: .integer(0))
                .derived(from: "items.@count"),
            AttributeDescription("couponCount", .integer32, default: .integer(0))
                .derived(from: "coupons.@count"),
            AttributeDescription("changedAt", .date, isOptional: true).derived(from: "now()"),
        ],
        relationships: [
            .toOne("customer", destination: "Customer"),
            .toMany("items", destination: "Item", deleteRule: .cascade, inverse: "order"),
            .toMany("coupons", destination: "Coupon", inverse: "orders"),
        ])

    private static let item = EntityDescription(
        name: "Item",
        attributes: [
            AttributeDescription("price", .decimal, isOptional: true),
            AttributeDescription("customerName", .string, isOptional: true)
                .derived(from: "order.customer.name"),
        ], relationships: [.toOne("order", destination: "Order")])

    private static let coupon = EntityDescription(
        name: "Coupon",
        attributes: [
            AttributeDescription("percent", .double, default: .double(0)),
            AttributeDescription("orderTotal", .decimal, isOptional: true)
                .derived(from: "orders.discount.@sum"),
        ],
        relationships: [.toMany("orders", destination: "Order", inverse: "coupons")])
}
