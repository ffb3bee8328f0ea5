import Duramen

/// Makes a struct the value of composite attributes: its stored properties become their elements.
///
/// ```swift
/// @Composite
/// struct Place {
///     var latitude: Double = 0
///     var longitude: Double = 0
///     var height: Double?
/// }
/// ```
/// Each stored property is an element. Its type is an attribute type, or it is marked
/// `@Attribute(.composite)` or `@Attribute(.codable("…"))`. It is optional or has an initial value,
/// which a new struct has. Static, computed and unmarked private properties are not changed. The
/// struct gets `CompositeValue`'s `elements` and `init()`. If it declares no initializer, it also
/// gets one with a parameter for each element.
@attached(member, names: named(elements), named(init))
@attached(extension, conformances: CompositeValue)
public macro Composite() = #externalMacro(module: "DuramenMacrosPlugin", type: "CompositeMacro")
