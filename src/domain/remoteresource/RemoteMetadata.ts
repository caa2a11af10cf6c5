/** What remote resources and their authorisation servers tell about themselves (RFC 9728, RFC 8414). */
import { Schema } from "effect"
import * as Text from "../field/Text.ts"

/** Elements of a list in a document, and characters of each. Lists of large servers have some dozens. */
const listMax = 100
const textMax = 1000

const Words = Schema.String.check(
  Schema.isMaxLength(textMax),
  Schema.makeFilter(Text.isStorable, { expected: "text that can be stored" })
)

const List = Schema.Array(Words).check(Schema.isMaxLength(listMax))

const words = Schema.optionalKey(Words)
const list = Schema.optionalKey(List)
const flag = Schema.optionalKey(Schema.Boolean)

/** The document of a resource, of which other fields do not matter. */
export const ResourceDocument = Schema.Struct({
  authorization_servers: List.check(Schema.isMinLength(1)),
  resource: words,
  resource_name: words,
  bearer_methods_supported: list
})

/** The document of an authorisation server, of which other fields do not matter. */
export const ServerDocument = Schema.Struct({
  issuer: Words,
  authorization_endpoint: Words,
  token_endpoint: Words,
  registration_endpoint: words,
  response_types_supported: list,
  grant_types_supported: list,
  token_endpoint_auth_methods_supported: list,
  code_challenge_methods_supported: list,
  client_id_metadata_document_supported: flag,
  authorization_response_iss_parameter_supported: flag
})

const Address = Schema.String.annotate({ format: "uri" })

const supported = (what: string) =>
  Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
    description: `${what} that the server lists; absent if it lists none`
  })

export const ProtectedResourceMetadata = Schema.Struct({
  authorization_servers: Schema.Array(Address).annotate({
    description: "Who gives tokens for the resource; the first one is used"
  }),
  resource: Schema.optionalKey(Schema.String).annotateKey({ description: "What the resource calls itself" }),
  resource_name: Schema.optionalKey(Schema.String).annotateKey({ description: "The name for people" }),
  bearer_methods_supported: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
    description: "How the resource takes tokens"
  })
}).annotate({
  identifier: "OAuthProtectedResourceMetadata",
  description: "What a resource tells about itself (RFC 9728)"
})
export interface ProtectedResourceMetadata extends Schema.Schema.Type<typeof ProtectedResourceMetadata> {}

export const AuthorisationServerMetadata = Schema.Struct({
  issuer: Address.annotate({ description: "What the server calls itself" }),
  authorization_endpoint: Address.annotate({ description: "Where people approve" }),
  token_endpoint: Address.annotate({ description: "Where tokens are given" }),
  registration_endpoint: Schema.optionalKey(Address).annotateKey({
    description: "Where clients register; absent if none can"
  }),
  response_types_supported: supported("Types of answers"),
  grant_types_supported: supported("Grants"),
  token_endpoint_auth_methods_supported: supported("Ways in which clients authenticate"),
  code_challenge_methods_supported: supported("Methods of PKCE"),
  client_id_metadata_document_supported: Schema.Boolean.annotate({
    description: "Whether the address of a document about a client is its id"
  })
}).annotate({
  identifier: "OAuthAuthorizationServerMetadata",
  description: "What an authorisation server tells about itself (RFC 8414)"
})
export interface AuthorisationServerMetadata extends Schema.Schema.Type<typeof AuthorisationServerMetadata> {}

export const RemoteMode = Schema.Literals(["cimd", "dcr", "manual"]).annotate({
  identifier: "OAuthRemoteMode",
  description:
    "How the server comes to know this service: it reads the document about it (`cimd`), the service registers (`dcr`), or somebody has registered it there (`manual`)"
})
export type RemoteMode = typeof RemoteMode.Type
