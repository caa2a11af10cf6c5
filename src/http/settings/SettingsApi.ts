import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AdminSettings, AdminSettingsChanges } from "../../domain/instance/AdminSetting.ts"
import { MessagePeriodInvalid, SettingsTooLarge } from "../../domain/settings/GeneralSetting.ts"
import { MarkupTooComplex, SanitiserUnavailable } from "../../domain/text/TextProblem.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class SettingsApi extends HttpApiGroup.make("settings")
  .add(
    HttpApiEndpoint.get("get", "/", { success: AdminSettings }).pipe(
      operation({
        id: "AdminSettingsGet",
        cost: "quick",
        summary: "Read the settings",
        description:
          "All settings that can be changed while the service runs, the addresses of the instance, and what this request says of where it comes from.",
        access: membersWith("MANAGE_SETTINGS")
      })
    ),
    HttpApiEndpoint.patch("update", "/", {
      payload: AdminSettingsChanges,
      success: AdminSettings,
      error: [MessagePeriodInvalid, SettingsTooLarge, MarkupTooComplex, SanitiserUnavailable]
    }).pipe(
      operation({
        id: "AdminSettingsUpdate",
        cost: "write",
        summary: "Change settings",
        description:
          "Takes effect at once on the instance that answers, and within a second on all others. Answers all settings.",
        access: membersWith("MANAGE_SETTINGS")
      })
    )
  )
  .prefix("/admin")
  .annotateMerge(OpenApi.annotations({ title: "settings", description: "The settings of the instance" })) {}
