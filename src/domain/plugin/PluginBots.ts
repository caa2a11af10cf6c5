/** The accounts that plugins act as. */
import { Context, Data, DateTime, Effect, Layer, Option, Result } from "effect"
import { botKeyPrefix } from "../accesskey/AccessKey.ts"
import { makeKeyWriting } from "../accesskey/KeyWriting.ts"
import { AccountStore, type ProfileChanges } from "../account/AccountStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { builtIn, type Role } from "../role/Role.ts"
import { RoleStore } from "../role/RoleStore.ts"
import { AccountId, type PluginId, RoleId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { Permission } from "../shared/Permission.ts"
import { Transaction } from "../storage/Transaction.ts"
import { botHandle, botRoleName, permissionsNamed } from "./BotRules.ts"
import type { PluginAccess } from "./PluginManifest.ts"
import { PluginStore, type StoredPlugin } from "./PluginStore.ts"

/** A plugin gets no access: it asks for none in its manifest, or for something that it cannot have. */
export class PluginAccessDenied extends Data.TaggedError("PluginAccessDenied")<{
  readonly reason: "none" | "impossible"
  readonly message: string
}> {}

const denied = (message: string) => new PluginAccessDenied({ reason: "impossible", message })

/** What shows everybody that a role is that of a bot. */
const colour = "hsl(157, 65%, 44%)"

const builtInIds: ReadonlySet<string> = new Set(Object.values(builtIn))

const keyName = "Plugin API Access"

interface Wanted {
  readonly access: PluginAccess
  readonly permissions: ReadonlyArray<Permission>
}

const profileOf = ({ bio, links, metadata, name }: PluginAccess): ProfileChanges => ({
  name,
  ...(bio === undefined ? {} : { bio }),
  ...(links === undefined ? {} : { links }),
  ...(metadata === undefined ? {} : { meta: metadata })
})

/** What a plugin asks for, if it can be had. */
const wantedBy = ({ manifest: { access } }: StoredPlugin): Result.Result<Wanted, PluginAccessDenied> => {
  if (access === undefined) {
    return Result.fail(
      new PluginAccessDenied({ reason: "none", message: "The manifest of the plugin asks for no access" })
    )
  }
  return permissionsNamed(access.permissions).pipe(
    Result.map((permissions) => ({ access, permissions })),
    Result.mapError((name) => denied(`There is no permission with the name ${name}`))
  )
}

const make = Effect.gen(function* () {
  const store = yield* PluginStore
  const accounts = yield* AccountStore
  const roles = yield* RoleStore
  const { issue, revokeAllOf } = yield* makeKeyWriting
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const createAccount = Effect.fnUntraced(function* (id: AccountId, handle: string, at: DateTime.Utc) {
    yield* accounts.insert({ id, at, handle, kind: "bot", invitationId: undefined }).pipe(
      Effect.catchTags({
        HandleTaken: () => Effect.fail(denied(`Another account has the handle ${handle}`)),
        InvitationGone: Effect.die
      })
    )
    yield* events.append(id, { _tag: "AccountCreated", id })
  })

  const account = Effect.fnUntraced(function* (
    plugin: StoredPlugin,
    access: PluginAccess,
    id: AccountId,
    at: DateTime.Utc
  ) {
    const isNew = plugin.accountId === undefined
    if (isNew) yield* createAccount(id, botHandle(access.handle, plugin.id), at)
    yield* Effect.catchTag(accounts.update(id, profileOf(access), at), "HandleTaken", Effect.die)
    if (!isNew) yield* events.append(id, { _tag: "AccountUpdated", id })
  })

  /** The role of a bot, which lets it do exactly what the manifest says, and stands below all others. */
  const role = Effect.fnUntraced(function* (
    plugin: StoredPlugin,
    { access, permissions }: Wanted,
    accountId: AccountId,
    all: ReadonlyArray<Role>,
    at: DateTime.Utc
  ) {
    const found = all.find(({ id }) => id === plugin.roleId)
    const values = {
      name: botRoleName(access.name, botHandle(access.handle, plugin.id)),
      colour,
      permissions,
      meta: {
        "plugin.installation_id": plugin.id,
        "plugin.account_id": accountId,
        "plugin.managed": true
      }
    }
    const nameTaken = () => Effect.fail(denied(`Another role has the name ${values.name}`))
    if (found !== undefined) {
      yield* Effect.catchTag(roles.update(found.id, values, at), "RoleNameTaken", nameTaken)
      yield* events.append(accountId, { _tag: "RoleUpdated", id: found.id })
      return found.id
    }
    const id = RoleId.make(yield* ids.next)
    yield* Effect.catchTag(roles.insert({ ...values, id, at }), "RoleNameTaken", nameTaken)
    yield* roles.arrange([...all.flatMap((other) => (builtInIds.has(other.id) ? [] : other.id)), id])
    yield* Effect.catchTag(roles.assign(accountId, id), "TooManyRolesHeld", Effect.die)
    yield* events.append(accountId, { _tag: "RoleCreated", id })
    return id
  })

  const newKey = Effect.fnUntraced(function* (accountId: AccountId, at: DateTime.Utc) {
    const issuing = issue(botKeyPrefix, { accountId, name: keyName, at, expiresAt: undefined })
    const { key, secret } = yield* Effect.catchTag(issuing, "TooManyAccessKeys", Effect.die)
    yield* revokeAllOf(accountId, accountId, at, key.id)
    return secret
  })

  /** Makes the bot of a plugin what its manifest says, and gives it a new key in place of all others. */
  const admit = Effect.fn("PluginBots.admit")(function* (id: PluginId) {
    const at = yield* DateTime.now
    const admission = Effect.gen(function* () {
      const plugin = Option.getOrUndefined(yield* store.findForUpdate(id))
      if (plugin === undefined) return yield* denied("The plugin is deleted")
      const wanted = yield* Effect.fromResult(wantedBy(plugin))
      const accountId = plugin.accountId ?? AccountId.make(yield* ids.next)
      const { roles: all } = yield* roles.lock(accountId)
      yield* account(plugin, wanted.access, accountId, at)
      yield* store.setBot(id, accountId, yield* role(plugin, wanted, accountId, all, at))
      return { accountId, key: yield* newKey(accountId, at) }
    })
    return yield* transaction(admission)
  })

  return { admit } as const
})

export class PluginBots extends Context.Service<PluginBots, Effect.Success<typeof make>>()(
  "forum/domain/PluginBots"
) {
  static readonly layer = Layer.effect(PluginBots, make)
}
