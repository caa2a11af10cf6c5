/** What the operator lets clients say of themselves by documents. */
import { Effect, Schema } from "effect"
import type { DocumentSettings } from "../../domain/oauthdocument/DocumentSettings.ts"
import { Permission } from "../../domain/shared/Permission.ts"
import { readSwitch } from "./KeySettings.ts"
import { list, setting } from "./Setting.ts"

const isPermission = Schema.is(Permission)

const isOn = (name: string) =>
  Effect.map(setting(name, "true or false", readSwitch), (value) => value ?? false)

export const readDocuments = Effect.gen(function* () {
  return {
    enabled: yield* isOn("OAUTH_CIMD_ENABLED"),
    allowedPermissions: yield* list(
      "OAUTH_CIMD_ALLOWED_SCOPES",
      "names of permissions like READ_PUBLISHED_THREADS, separated by commas",
      (text) => (isPermission(text) ? text : undefined)
    ),
    allowsPrivileged: yield* isOn("OAUTH_CIMD_ALLOW_PRIVILEGED_SCOPES"),
    allowsInsecure: yield* isOn("OAUTH_CIMD_ALLOW_INSECURE_FETCH")
  } satisfies DocumentSettings
})
