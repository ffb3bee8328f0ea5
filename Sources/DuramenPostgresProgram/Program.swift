import DuramenPostgres
import DuramenTool

/// The program `duramen-postgres`: `duramen` with stores on PostgreSQL.
@main
enum Program {
    static func main() { runDuramen(kinds: [PostgresStoreType()]) }
}
