/** Connects this service to resources of others. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { RemoteConnectionId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { makeConnectionPlans, type Plan } from "./ConnectionPlans.ts"
import { makeConnectionReturns } from "./ConnectionReturns.ts"
import type { Brought } from "./ConnectionRules.ts"
import type { Registration } from "./RegistrationRules.ts"
import type { NewRemoteConnection } from "./RemoteConnection.ts"
import { type Identity, RemoteConnectionStore, type StoredConnection } from "./RemoteConnectionStore.ts"
import { makeRemoteDiscovery } from "./RemoteDiscovery.ts"
import { RemoteConnectionExists, RemoteConnectionNotFound } from "./RemoteRefusal.ts"
import { makeRemoteSecrets } from "./RemoteSecrets.ts"

const isConnectionId = Schema.is(RemoteConnectionId)

const identityOf = (
  { authorisationServer, resourceUrl }: Plan,
  { accountId }: Pick<Identity, "accountId">
): Identity => ({ accountId, resourceUrl, authorisationServer })

/** Fails if there is a token already: only what nobody has approved is made again. */
const checkUnconnected = (found: Option.Option<StoredConnection>) =>
  Option.isSome(found) && found.value.shown.has_access_token
    ? Effect.fail(
        new RemoteConnectionExists({ metadata: { oauth_remote_connection_id: found.value.shown.id } })
      )
    : Effect.void

const make = Effect.gen(function* () {
  const store = yield* RemoteConnectionStore
  const plan = yield* makeConnectionPlans
  const find = yield* makeRemoteDiscovery
  const returns = yield* makeConnectionReturns
  const secrets = yield* makeRemoteSecrets
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  /** The connection with an id, by one of the ways in which the store finds it. */
  const getBy = Effect.fnUntraced(function* (by: typeof store.find, id: string) {
    const found = isConnectionId(id) ? yield* by(id) : Option.none<StoredConnection>()
    if (Option.isSome(found)) return found.value
    return yield* new RemoteConnectionNotFound({ metadata: { oauth_remote_connection_id: id } })
  })

  const discover = Effect.fn("RemoteConnections.discover")(function* (address: string) {
    return (yield* find(address)).result
  })

  /** All connections, newest first. */
  const list = Effect.fn("RemoteConnections.list")(function* () {
    return (yield* store.list).map(({ shown }) => shown)
  })

  const remove = Effect.fnUntraced(function* ({ shown: { id, resource_url } }: StoredConnection) {
    const { accountId } = yield* CurrentAccount
    yield* store.delete(id)
    yield* events.append(accountId, { _tag: "RemoteConnectionDeleted", id, resource_url })
  })

  /** Keeps a new connection, in the place of one of the same identity that nobody has approved. */
  const keep = Effect.fnUntraced(function* (
    { mode, register: _, registrationEndpoint, resourceName, ...terms }: Plan,
    identity: Identity,
    { clientId, clientSecret, method, redirectUris }: Registration
  ) {
    const id = RemoteConnectionId.make(yield* ids.next)
    const connection = {
      id,
      identity,
      terms: { ...terms, clientId, method },
      mode,
      resourceName,
      registrationEndpoint,
      redirectUris,
      sealedSecret: yield* secrets.sealGiven("client secret", id, clientSecret),
      at: yield* DateTime.now
    }
    const creation = Effect.gen(function* () {
      const former = yield* store.findOfForUpdate(identity)
      yield* checkUnconnected(former)
      if (Option.isSome(former)) yield* remove(former.value)
      const { shown } = yield* store.insert(connection)
      const { resource_url } = shown
      yield* events.append(identity.accountId, { _tag: "RemoteConnectionCreated", id, resource_url, mode })
      return shown
    })
    return yield* transaction(creation)
  })

  const create = Effect.fn("RemoteConnections.create")(function* (input: NewRemoteConnection) {
    const planned = yield* plan(input)
    const identity = identityOf(planned, yield* CurrentAccount)
    const former = yield* store.findOf(identity)
    yield* checkUnconnected(former)
    // Nothing is registered at a server for a connection that would not be kept.
    if (Option.isNone(former)) yield* store.checkRoom
    return yield* keep(planned, identity, yield* planned.register)
  })

  const authorise = Effect.fn("RemoteConnections.authorise")(function* (id: string) {
    const connection = yield* getBy(store.find, id)
    return { connection: connection.shown, authorization_url: yield* returns.begin(connection) }
  })

  const finish = Effect.fn("RemoteConnections.finish")(function* (brought: Brought) {
    return { connection: yield* returns.finish(brought) }
  })

  const removeById = Effect.fn("RemoteConnections.remove")(function* (id: string) {
    yield* transaction(Effect.flatMap(getBy(store.findForUpdate, id), remove))
  })

  /** Forgets who was sent to servers and has not come back in time, an hour later. */
  const forgetAuthorisations = Effect.gen(function* () {
    yield* store.forgetAuthorisations(DateTime.subtract(yield* DateTime.now, { hours: 1 }))
  })

  return { discover, list, create, authorise, finish, remove: removeById, forgetAuthorisations } as const
})

export class RemoteConnections extends Context.Service<RemoteConnections, Effect.Success<typeof make>>()(
  "forum/domain/RemoteConnections"
) {
  static readonly layer = Layer.effect(RemoteConnections, make).pipe(Layer.provide(InstanceSettings.layer))
}
