import { DateTime, Effect, Redacted, type Result, Schema } from "effect"
import { PasswordHashing, signedIn } from "../authentication/PasswordHashing.ts"
import { EventLog } from "../event/EventLog.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { OAuthClientId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type OAuthClient, OAuthClientNotFound, secretPrefix } from "./OAuthClient.ts"
import type { ClientType } from "./OAuthClientFields.ts"
import { type ChangedClient, withoutRepetition } from "./OAuthClientRules.ts"
import { type ClientInsert, OAuthClientStore, type StoredClient } from "./OAuthClientStore.ts"

const isClientId = Schema.is(OAuthClientId)

/** The id in an address, if it is one. */
export const parseClientId = (id: string): OAuthClientId | undefined => (isClientId(id) ? id : undefined)

export const clientNotFound = (id: string) => new OAuthClientNotFound({ metadata: { oauth_client_id: id } })

/** The hash of a secret, and the secret itself where it was generated. */
export interface Secret {
  readonly hash: string | undefined
  readonly generated: Redacted.Redacted | undefined
}

/** A client that was just created, with its secret where it was generated. */
export interface CreatedClient {
  readonly client: OAuthClient
  readonly secret: Redacted.Redacted | undefined
}

/** How clients are created, changed and deleted, whoever does it. */
export const makeClientWriting = Effect.gen(function* () {
  const store = yield* OAuthClientStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const tokens = yield* makeTokens
  const hashing = yield* PasswordHashing
  const settings = yield* InstanceSettings

  /** Clients as they are shown: those of the service itself have its name. */
  const show = Effect.fnUntraced(function* (clients: ReadonlyArray<StoredClient>) {
    const { title } = yield* settings.general
    return clients.map(({ isBuiltIn, shown }) => (isBuiltIn ? { ...shown, name: title } : shown))
  })

  /** The secret of a new client: that of its administrator, a generated one, or none. */
  const secretOf = Effect.fnUntraced(function* (type: ClientType, given: string | undefined) {
    if (type === "public") return { hash: undefined, generated: undefined } satisfies Secret
    if (given !== undefined) return { hash: given, generated: undefined } satisfies Secret
    const { accountId } = yield* CurrentAccount
    const generated = Redacted.make(`${secretPrefix}${yield* tokens.make}`)
    const hash = yield* hashing.hash(generated).pipe(hashing.inPlace(signedIn(accountId)))
    return { hash, generated } satisfies Secret
  })

  const create = Effect.fnUntraced(function* (
    client: Omit<ClientInsert, "id" | "at" | "secretHash">,
    { generated, hash }: Secret
  ) {
    const { accountId: actor } = yield* CurrentAccount
    const id = OAuthClientId.make(yield* ids.next)
    const at = yield* DateTime.now
    const creation = Effect.gen(function* () {
      const { shown } = yield* store.insert({ ...withoutRepetition(client), id, at, secretHash: hash })
      const { accountId: account_id, clientId: client_id, name } = client
      yield* events.append(actor, { _tag: "OAuthClientCreated", id, client_id, name, account_id })
      return shown
    })
    return { client: yield* transaction(creation), secret: generated } satisfies CreatedClient
  })

  /** Changes the client that `get` loads and locks, as is decided then. Nothing is written if nothing would be different. */
  const update = Effect.fnUntraced(function* <E, R, F>(
    get: Effect.Effect<StoredClient, E, R>,
    decide: (client: StoredClient) => Result.Result<ChangedClient, F>,
    secretHash?: string
  ) {
    const { accountId: actor } = yield* CurrentAccount
    const at = yield* DateTime.now
    const changing = Effect.gen(function* () {
      const client = yield* get
      const { changed, values } = yield* Effect.fromResult(decide(client))
      const { client_id, id } = client.shown
      if (changed.length === 0) return client.shown
      const { shown } = yield* store.update(id, values, secretHash, at)
      yield* events.append(actor, { _tag: "OAuthClientUpdated", id, client_id, name: values.name, changed })
      return shown
    })
    return yield* transaction(changing)
  })

  /** Deletes the client that `get` loads and locks. */
  const remove = Effect.fnUntraced(function* <E, R>(get: Effect.Effect<StoredClient, E, R>) {
    const { accountId: actor } = yield* CurrentAccount
    const removal = Effect.gen(function* () {
      const { shown } = yield* get
      yield* store.delete(shown.id)
      const { client_id, id, name } = shown
      yield* events.append(actor, { _tag: "OAuthClientDeleted", id, client_id, name })
    })
    yield* transaction(removal)
  })

  return { show, secretOf, create, update, remove } as const
})
