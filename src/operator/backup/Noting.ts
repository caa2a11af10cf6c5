/** Notes in the database which backups were made, so that whoever erases an account learns which of them have it. */
import { Console, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { clientOf, type Server } from "../Environment.ts"

export interface NotedBackup {
  readonly file: string
  readonly made_at: Date
}

/** A backup is whole, whether it could be noted or not. */
export const noteBackup = (server: Server, path: string, at: Date) =>
  SqlClient.SqlClient.use(
    (
      sql
    ) => sql`with old as (delete from backups_made where made_at < ${at}::timestamptz - interval '5 years')
      insert into backups_made (made_at, file) values (${at}, ${path}) on conflict do nothing`
  ).pipe(
    Effect.provide(clientOf(server)),
    Effect.catchCause(() => Console.error("The backup could not be noted in the database."))
  )

/** The backups that were made of this database, oldest first. */
export const notedBackups = SqlClient.SqlClient.use(
  (sql) => sql<NotedBackup>`select file, made_at from backups_made order by made_at, file`
)
