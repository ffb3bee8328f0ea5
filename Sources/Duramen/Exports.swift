// One import gives an application models, predicates, IDs and errors too.
@_exported public import DuramenModel
@_exported public import DuramenQuery
@_exported public import DuramenStore
