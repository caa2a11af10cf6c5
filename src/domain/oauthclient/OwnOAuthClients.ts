/** What people do with clients of OAuth of their own. */
import { Context, Effect, Layer, Option } from "effect"
import { PasswordHashing } from "../authentication/PasswordHashing.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { OAuthError } from "../shared/OAuthError.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { clientNotFound, makeClientWriting, parseClientId } from "./ClientWriting.ts"
import {
  clientIdPrefix,
  type NewOwnOAuthClient,
  OAuthClientNotYours,
  type OwnOAuthClientChanges
} from "./OAuthClient.ts"
import { decideForm, decideOwnChange, decidePermissions, ownership } from "./OAuthClientRules.ts"
import { OAuthClientStore, type StoredClient } from "./OAuthClientStore.ts"

const notYours = (id: string) => new OAuthClientNotYours({ metadata: { oauth_client_id: id } })

const unknownToOAuth = new OAuthError({
  error: "invalid_request",
  error_description: "No client of yours has this id"
})

const make = Effect.gen(function* () {
  const store = yield* OAuthClientStore
  const writing = yield* makeClientWriting
  const tokens = yield* makeTokens

  /** The caller's client with an id, by one of the ways in which the store finds it, or what there is instead. */
  const getBy = Effect.fnUntraced(function* <Missing, Others>(
    find: typeof store.find,
    id: string,
    { missing, others }: { readonly missing: Missing; readonly others: Others }
  ) {
    const { accountId } = yield* CurrentAccount
    const parsed = parseClientId(id)
    const found: StoredClient | undefined =
      parsed === undefined ? undefined : Option.getOrUndefined(yield* find(parsed))
    const whose = ownership(found, accountId)
    if (found === undefined || whose === "missing") return yield* Effect.fail(missing)
    return whose === "own" ? found : yield* Effect.fail(others)
  })

  /** The caller's clients, newest first. */
  const list = Effect.fn("OwnOAuthClients.list")(function* () {
    const { accountId } = yield* CurrentAccount
    return (yield* store.listOf(accountId)).map(({ shown }) => shown)
  })

  const get = Effect.fn("OwnOAuthClients.get")(function* (id: string) {
    const { shown } = yield* getBy(store.find, id, { missing: clientNotFound(id), others: unknownToOAuth })
    return shown
  })

  const create = Effect.fn("OwnOAuthClients.create")(function* (input: NewOwnOAuthClient) {
    const actor = yield* CurrentAccount
    const form = {
      type: input.type,
      redirectUris: input.redirect_uris ?? [],
      allowedGrants: input.allowed_grants,
      pkceRequired: input.pkce_required
    }
    yield* Effect.fromResult(decideForm(form))
    yield* Effect.fromResult(decidePermissions(actor, input.allowed_scopes))
    const clientId = `${clientIdPrefix}${yield* tokens.make}`
    const secret = yield* writing.secretOf(input.type, undefined)
    const client = {
      ...form,
      accountId: actor.accountId,
      clientId,
      name: input.name,
      scopePolicy: "explicit" as const,
      allowedScopes: input.allowed_scopes
    }
    return yield* writing.create(client, secret).pipe(
      // A generated id is nobody else's, and the caller is there.
      Effect.catchTag(["OAuthClientIdTaken", "OAuthClientOwnerUnknown"], Effect.die)
    )
  })

  const update = Effect.fn("OwnOAuthClients.update")(function* (id: string, changes: OwnOAuthClientChanges) {
    const actor = yield* CurrentAccount
    const own = getBy(store.findForUpdate, id, { missing: clientNotFound(id), others: notYours(id) })
    yield* Effect.fromResult(decidePermissions(actor, changes.allowed_scopes ?? []))
    return yield* writing.update(own, (client) => decideOwnChange(client, changes))
  })

  const remove = Effect.fn("OwnOAuthClients.remove")(function* (id: string) {
    yield* writing.remove(getBy(store.findForUpdate, id, { missing: unknownToOAuth, others: unknownToOAuth }))
  })

  return { list, get, create, update, remove } as const
})

export class OwnOAuthClients extends Context.Service<OwnOAuthClients, Effect.Success<typeof make>>()(
  "forum/domain/OwnOAuthClients"
) {
  static readonly layer = Layer.effect(OwnOAuthClients, make).pipe(
    Layer.provide(Layer.merge(PasswordHashing.layer, InstanceSettings.layer))
  )
}
