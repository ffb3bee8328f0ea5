import DuramenModel
import DuramenStore
import Foundation

extension StoreWriter {
    /// Makes the store one of another version of its model, in one transaction.
    func migrate(_ work: MigrationWork) throws(StoreError) {
        try alone { () throws(StoreError) in
            // Tables are opened in it.
            try environment.openingTables { () throws(StoreError) in
                _ = try transaction { (transaction) throws(StoreError) -> Void? in
                    try SchemaMigration(writer: self, transaction: transaction, work: work)
                        .run()
                }
            }
        }
    }
}
