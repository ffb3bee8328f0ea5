import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros that `DuramenMacros` declares.
@main
struct DuramenMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ManagedMacro.self,
        CompositeMacro.self,
        ManagedSlotMacro.self,
        AttributeMarkerMacro.self,
        RelationshipMarkerMacro.self,
    ]
}
