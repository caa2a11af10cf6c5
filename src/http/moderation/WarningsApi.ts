import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountNotFound, AdministratorHidden } from "../../domain/account/Account.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  NewWarning,
  TooManyWarnings,
  Warning,
  WarningChanges,
  WarningListResult,
  WarningNotFound
} from "../../domain/moderation/Warning.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { accounts, membersWith } from "../contract/AccessPolicies.ts"
import { Deleted } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const account = { account_id: AccountId.annotateKey({ description: "The id of the account" }) }
const warning = { ...account, warning_id: Text.mark({ description: "The id of the warning" }) }

const targetProblems = [AccountNotFound, Forbidden, AdministratorHidden] as const

export class WarningsApi extends HttpApiGroup.make("warnings")
  .add(
    HttpApiEndpoint.get("list", "/", {
      params: account,
      success: WarningListResult,
      error: targetProblems
    }).pipe(
      operation({
        id: "AccountWarningList",
        cost: "quick",
        summary: "List the warnings of an account",
        description:
          "Newest first. Everyone reads their own; those of others need MANAGE_WARNINGS, and the right to read the account.",
        access: accounts
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      params: account,
      payload: NewWarning,
      success: Warning,
      error: [...targetProblems, TooManyWarnings, WarningNotFound]
    }).pipe(
      operation({
        id: "AccountWarningCreate",
        cost: "write",
        summary: "Warn an account",
        description:
          "The account is notified. The caller must be allowed to read the account as well, which is their own only for administrators.",
        access: membersWith("MANAGE_WARNINGS")
      })
    ),
    HttpApiEndpoint.patch("update", "/:warning_id", {
      params: warning,
      payload: WarningChanges,
      success: Warning,
      error: [...targetProblems, WarningNotFound]
    }).pipe(
      operation({
        id: "AccountWarningUpdate",
        cost: "write",
        summary: "Change the reason of a warning",
        description:
          "Both reasons are in the audit log. Nobody but administrators changes those of their own account.",
        access: membersWith("MANAGE_WARNINGS")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:warning_id", {
      params: warning,
      success: Deleted,
      error: [...targetProblems, WarningNotFound]
    }).pipe(
      operation({
        id: "AccountWarningDelete",
        cost: "write",
        summary: "Delete a warning",
        description:
          "It is gone; that it was deleted is in the audit log. Nobody but administrators deletes those of their own account.",
        access: membersWith("MANAGE_WARNINGS")
      })
    )
  )
  .prefix("/accounts/:account_id/warnings")
  .annotateMerge(OpenApi.annotations({ title: "warnings", description: "Warnings of accounts" })) {}
