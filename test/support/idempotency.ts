/** Requests with keys. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { identityOf } from "../../src/domain/idempotency/IdempotencyKeys.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { endpointsOf } from "../../src/http/contract/Endpoints.ts"
import { takesKeys } from "../../src/http/contract/IdempotentOperation.ts"

/** The operations that take keys. */
export const repeatable = endpointsOf(ForumApi).filter(({ endpoint }) => takesKeys(endpoint))

/** Sends all requests of an effect with this key. */
export const withKey =
  (key: string) =>
  <A, E, R>(requests: Effect.Effect<A, E, R>) =>
    Effect.updateService(
      requests,
      HttpClient.HttpClient,
      HttpClient.mapRequest(HttpClientRequest.setHeader("idempotency-key", key))
    )

/** The keys that are stored, in their order. */
export const storedKeys = SqlClient.SqlClient.use(
  (sql) =>
    sql<{
      readonly key: string
      readonly status: number | null
      readonly body: Uint8Array | null
      readonly made_id: string | null
    }>`select key, status, body, made_id from idempotency_keys order by key`
)

/** As if the instance that handles the requests had ended. */
export const loseInstance = SqlClient.SqlClient.use(
  (sql) => sql`update idempotency_keys set backend = 0 where answered_at is null`
)

export const isReplayed = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
  headers["idempotency-replayed"] === "true"

/** Answers that a request with this key is given from now on, as if it had been answered so before. */
export const seed = (
  account: string,
  key: string,
  request: Parameters<typeof identityOf>[0],
  state: { readonly isAnswered: boolean }
) =>
  SqlClient.SqlClient.use((sql) => {
    const fingerprint = createHash("sha256").update(identityOf(request)).digest()
    const at = state.isAnswered ? new Date(0) : null
    // The connection of this test stands for that of an instance that handles the request.
    return sql`insert into idempotency_keys
        (account_id, key, fingerprint, claim, claimed_at, backend, backend_at, answered_at, status)
      values (${account}, ${key}, ${fingerprint}, ${Buffer.alloc(16)}, 'epoch', pg_backend_pid(), clock_timestamp(),
        ${at}, ${state.isAnswered ? 200 : null})`
  })
