/** The PostgreSQL servers of a run, one for each worker. */
import { inject } from "vitest"

/** How test files reach the server; `PgClient` takes it with the password redacted and a database added. */
export interface TestServer {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: ReadonlyArray<TestServer>
  }
}

/** The server of the worker that asks. */
export const testServer = (): TestServer => {
  const servers = inject("postgres")
  const server = servers[Number(process.env.VITEST_POOL_ID ?? 1) % servers.length]
  if (server === undefined) throw new Error("The run has started no PostgreSQL")
  return server
}
