// The imports are grouped by what the types are for, so their order is not the formatter's.
// swift-format-ignore-file: OrderedImports

// One import also gives an application models, predicates, IDs and errors. Types that only authors
// of stores need are left out; import DuramenModel or DuramenStore for them. Members and extensions
// of a type come with its name. Operators do not, unless a protocol of the standard library
// requires them.

// Predicates and orders: the whole module, because most of its operators are its own.
@_exported public import DuramenQuery

// Models: descriptions and resolved models.
@_exported public import struct DuramenModel.Attribute
@_exported public import struct DuramenModel.AttributeDescription
@_exported public import struct DuramenModel.AttributeRules
@_exported public import struct DuramenModel.CompositeAttribute
@_exported public import struct DuramenModel.ConfigurationDescription
@_exported public import enum DuramenModel.DeleteRule
@_exported public import struct DuramenModel.Derivation
@_exported public import struct DuramenModel.DerivationExpression
@_exported public import class DuramenModel.Entity
@_exported public import struct DuramenModel.EntityDescription
@_exported public import struct DuramenModel.EntityID
@_exported public import struct DuramenModel.FetchedPropertyDescription
@_exported public import struct DuramenModel.IndexDescription
@_exported public import struct DuramenModel.ManagedObjectClass
@_exported public import class DuramenModel.ManagedObjectModel
@_exported public import enum DuramenModel.Property
@_exported public import struct DuramenModel.Relationship
@_exported public import struct DuramenModel.RelationshipDescription
@_exported public import struct DuramenModel.RelationshipID
@_exported public import struct DuramenModel.TransientAttribute
@_exported public import struct DuramenModel.UniquenessConstraint
@_exported public import struct DuramenModel.ValidationPredicate

// Types of attributes and their values.
@_exported public import struct DuramenArchives.ArchivedObject
@_exported public import struct DuramenArchives.ArchivedURL
@_exported public import enum DuramenArchives.ArchivedValue
@_exported public import struct DuramenModel.AttributeType
@_exported public import struct DuramenModel.CodableType
@_exported public import struct DuramenModel.EncodedBytes
@_exported public import struct DuramenModel.StoredText
@_exported public import enum DuramenModel.StoredValue
@_exported public import struct DuramenModel.ValueTransformer
@_exported public import struct DuramenModel.ValueTransformers

// IDs.
@_exported public import struct DuramenModel.EntityHandle
@_exported public import struct DuramenModel.ManagedObjectID
@_exported public import struct DuramenModel.StoreHandle

// Errors.
@_exported public import struct DuramenArchives.ArchiveError
@_exported public import protocol DuramenModel.DescribedError
@_exported public import struct DuramenModel.FrozenModelError
@_exported public import struct DuramenModel.ModelError
@_exported public import struct DuramenStore.StoreError

// Descriptions of stores, and what stores report about themselves.
@_exported public import enum DuramenStore.Durability
@_exported public import enum DuramenStore.FileCheck
@_exported public import protocol DuramenStore.MaintainingStore
@_exported public import struct DuramenStore.MaintenanceReport
@_exported public import protocol DuramenStore.PersistentStore
@_exported public import struct DuramenStore.PersistentStoreDescription
@_exported public import protocol DuramenStore.PersistentStoreType
@_exported public import struct DuramenStore.StoreCapabilities
@_exported public import struct DuramenStore.StoreChecksums
@_exported public import struct DuramenStore.StoreClock
@_exported public import struct DuramenStore.StoreConversion
@_exported public import class DuramenStore.StoreCounters
@_exported public import struct DuramenStore.StoreGeneration
@_exported public import struct DuramenStore.StoreMetadata
@_exported public import struct DuramenStore.StoreTypes
@_exported public import struct DuramenStore.StoreVerification
@_exported public import struct DuramenStore.VerificationFinding

// The history of a store.
@_exported public import struct DuramenStore.HistoryConsumer
@_exported public import enum DuramenStore.HistoryOrigin
@_exported public import struct DuramenStore.HistoryTombstones
@_exported public import struct DuramenStore.PersistentHistoryChange
@_exported public import struct DuramenStore.PersistentHistoryToken
@_exported public import struct DuramenStore.PersistentHistoryTransaction

// Model changes and migrations.
@_exported public import struct DuramenModel.AppleVersionHashes
@_exported public import struct DuramenModel.FrozenModels
@_exported public import struct DuramenModel.ModelChange
@_exported public import struct DuramenModel.SchemaChange
@_exported public import struct DuramenModel.SuspectedRenaming
@_exported public import struct DuramenStore.CustomMigrationStage
@_exported public import struct DuramenStore.LightweightMigrationStage
@_exported public import struct DuramenStore.ManagedObjectModelReference
@_exported public import struct DuramenStore.MigratingRow
@_exported public import struct DuramenStore.MigrationEstimate
@_exported public import struct DuramenStore.MigrationHop
@_exported public import struct DuramenStore.MigrationPlan
@_exported public import struct DuramenStore.MigrationPlanner
@_exported public import struct DuramenStore.MigrationPolicy
@_exported public import struct DuramenStore.MigrationProblem
@_exported public import struct DuramenStore.MigrationProgress
@_exported public import protocol DuramenStore.MigrationStage
@_exported public import struct DuramenStore.MigrationStep
@_exported public import struct DuramenStore.MigrationSurvey
@_exported public import struct DuramenStore.MigrationTrial
@_exported public import class DuramenStore.StagedMigrationManager
@_exported public import struct DuramenStore.StoreMigrationRecord

// Results.
@_exported public import struct DuramenStore.QueryExplanation

// Attribute types that are not in the standard library, so that a model needs no other import.
@_exported public import struct Foundation.Data
@_exported public import struct Foundation.Date
@_exported public import struct Foundation.Decimal
@_exported public import struct Foundation.URL
@_exported public import struct Foundation.UUID
