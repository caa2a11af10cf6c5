import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountAuthMethods, LastAuthMethod } from "../../domain/authentication/AuthMethod.ts"
import { Id } from "../../domain/shared/Id.ts"
import { accounts, accountsByCookieOrKey } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class AuthMethodsApi extends HttpApiGroup.make("authMethods")
  .add(
    HttpApiEndpoint.get("list", "/", { success: AccountAuthMethods }).pipe(
      operation({
        id: "AccountAuthProviderList",
        cost: "quick",
        summary: "List the ways in which you can sign in",
        description: "Those that your account has, oldest first, and those that the instance offers.",
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("remove", "/:auth_method_id", {
      params: { auth_method_id: Id.annotate({ description: "The id of the way to sign in" }) },
      success: AccountAuthMethods,
      error: LastAuthMethod
    }).pipe(
      operation({
        id: "AccountAuthMethodDelete",
        cost: "write",
        summary: "Give up a way to sign in",
        description:
          "The last one that the instance offers stays. One that the account does not have changes nothing. Sessions go on.",
        access: accountsByCookieOrKey
      })
    )
  )
  .prefix("/accounts/self/auth-methods")
  .annotateMerge(
    OpenApi.annotations({
      title: "ways to sign in",
      description: "The passwords, passkeys and the like of an account"
    })
  ) {}
