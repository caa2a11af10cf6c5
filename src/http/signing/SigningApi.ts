import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { JsonWebKeySet, OAuthDisabled } from "../../domain/signing/SigningKey.ts"
import { everyone } from "../contract/AccessPolicies.ts"
import { CacheControl } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

export class SigningApi extends HttpApiGroup.make("signing")
  .add(
    HttpApiEndpoint.get("keys", "/oauth/jwks", {
      success: HttpApiSchema.WithHeaders(JsonWebKeySet, { "cache-control": CacheControl }),
      error: OAuthDisabled
    }).pipe(
      operation({
        id: "OAuthJWKS",
        cost: "quick",
        summary: "Read the keys that sign tokens",
        description:
          "Others check tokens of this service by them. A new key is here an hour before it signs, so that the answer may be kept for a quarter of an hour.",
        access: everyone
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "signing", description: "The keys by which tokens are checked" })
  ) {}
