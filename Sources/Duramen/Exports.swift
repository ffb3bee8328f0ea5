// One import gives an application models, predicates, IDs and errors too.
@_exported public import DuramenArchives
@_exported public import DuramenModel
@_exported public import DuramenQuery
@_exported public import DuramenStore

// The types of attributes that are not the standard library's, so that a model needs no other import.
@_exported public import struct Foundation.Data
@_exported public import struct Foundation.Date
@_exported public import struct Foundation.Decimal
@_exported public import struct Foundation.URL
@_exported public import struct Foundation.UUID
