import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AccessKey,
  AccessKeyIssued,
  AccessKeyNotFound,
  listedMax,
  NewAccessKey,
  OwnedAccessKey,
  TooManyAccessKeys
} from "../../domain/accesskey/AccessKey.ts"
import { ownedKey, ownKey } from "../../domain/accesskey/AccessKeyExamples.ts"
import { withExample } from "../../domain/field/Example.ts"
import * as Text from "../../domain/field/Text.ts"
import { AccessKeyId } from "../../domain/shared/Id.ts"
import { membersByCookieWith, membersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

const AccessKeyListResult = Schema.Struct({ keys: Schema.Array(AccessKey) })
  .annotate({ identifier: "AccessKeyListResult", description: "The access keys of an account, newest first" })
  .pipe(withExample({ keys: [ownKey] }))

const OwnedAccessKeyListResult = Schema.Struct({ keys: Schema.Array(OwnedAccessKey) })
  .annotate({
    identifier: "OwnedAccessKeyListResult",
    description: "Access keys of all accounts, newest first"
  })
  .pipe(withExample({ keys: [ownedKey] }))

const params = { access_key_id: Text.mark({ description: "The id of the access key" }) }

const Revoked = HttpApiSchema.NoContent.annotate({ description: "The key does not work any more" })

export class AccessKeysApi extends HttpApiGroup.make("accessKeys")
  .add(
    HttpApiEndpoint.get("list", "/", { success: AccessKeyListResult }).pipe(
      operation({
        id: "AccessKeyList",
        cost: "quick",
        summary: "List your access keys",
        description: "Newest first, with those that were revoked.",
        access: membersWith("USE_PERSONAL_ACCESS_KEYS")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewAccessKey,
      success: AccessKeyIssued,
      error: TooManyAccessKeys
    }).pipe(
      operation({
        id: "AccessKeyCreate",
        cost: "write",
        summary: "Create an access key",
        description:
          "A bearer token for programs. It may do what your account may do, at every moment, but for what needs the session cookie. `secret` is shown this once.",
        access: membersByCookieWith("USE_PERSONAL_ACCESS_KEYS")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:access_key_id", {
      params,
      success: Revoked,
      error: AccessKeyNotFound
    }).pipe(
      operation({
        id: "AccessKeyDelete",
        cost: "write",
        summary: "Revoke one of your access keys",
        description: "It stops working at once and stays listed.",
        access: membersWith("USE_PERSONAL_ACCESS_KEYS")
      })
    )
  )
  .prefix("/auth/access-keys")
  .annotateMerge(
    OpenApi.annotations({
      title: "access keys",
      description: "Tokens with which programs act for an account"
    })
  ) {}

export class AdminAccessKeysApi extends HttpApiGroup.make("adminAccessKeys")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        before: Schema.optionalKey(AccessKeyId).annotateKey({
          description: "The id of the last key of the answer before, to get those that are older"
        })
      },
      success: OwnedAccessKeyListResult
    }).pipe(
      operation({
        id: "AdminAccessKeyList",
        cost: "quick",
        summary: "List the access keys of all accounts",
        description: `Newest first, with those that were revoked; ${listedMax} at most.`,
        access: membersWith("ADMINISTRATOR")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:access_key_id", {
      params,
      success: Revoked,
      error: AccessKeyNotFound
    }).pipe(
      operation({
        id: "AdminAccessKeyDelete",
        cost: "write",
        summary: "Revoke an access key of any account",
        description: "It stops working at once and stays listed.",
        access: membersWith("ADMINISTRATOR")
      })
    )
  )
  .prefix("/admin/access-keys")
  .annotateMerge(
    OpenApi.annotations({
      title: "access keys of all accounts",
      description: "What administrators do with access keys"
    })
  ) {}
