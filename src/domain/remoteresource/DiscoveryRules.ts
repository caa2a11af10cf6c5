/** What the documents of a resource and its server have to say to be of use. Pure. */
import { Option, Result, Schema } from "effect"
import * as Text from "../field/Text.ts"
import { readRemoteAddress, trimmed } from "./RemoteAddress.ts"
import {
  type AuthorisationServerMetadata,
  type ProtectedResourceMetadata,
  type RemoteMode,
  ResourceDocument,
  ServerDocument
} from "./RemoteMetadata.ts"

/**
 * Why a document is of no use: it cannot be had; its address answers with a failure; it is no JSON of the form that
 * standards say; an address in it, or one that leads to it, is not used; it is about another resource, or another
 * server; or the server lacks what this service needs.
 */
export const documentRefusals = [
  "unreachable",
  "status",
  "document",
  "address",
  "resource",
  "issuer",
  "unsupported"
] as const
export type DocumentRefusal = (typeof documentRefusals)[number]

/** A resource, and the server that it trusts most. */
export interface KnownResource {
  readonly metadata: ProtectedResourceMetadata
  readonly server: URL
}

export interface KnownServer {
  readonly metadata: AuthorisationServerMetadata
  /** Whether its answers name it (RFC 9207). */
  readonly namesItself: boolean
}

const Json = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** Reads a document. Some write that there is nothing as `null` or as an empty text. */
const readDocument = <A>(schema: Schema.Decoder<A>, text: string): Result.Result<A, DocumentRefusal> => {
  const fields = Option.map(Schema.decodeUnknownOption(Json)(text), (json) =>
    Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null && value !== ""))
  )
  return Option.match(Option.flatMap(fields, Schema.decodeUnknownOption(schema)), {
    onNone: () => Result.fail("document"),
    onSome: (found) => Result.succeed(found)
  })
}

const nameMax = 200

/** The name as one line that is short enough to be shown. */
const lineOf = (name: string): string => Array.from(Text.toLine(name)).slice(0, nameMax).join("").trim()

const isAddress = (text: string): boolean => Result.isSuccess(readRemoteAddress(text))

const isOfOrigin = (text: string, { origin }: URL): boolean =>
  isAddress(text) && new URL(text).origin === origin

const refused = (reason: DocumentRefusal) => Result.fail(reason)

/** Reads the document of a resource. */
export const readResource = (resource: URL, text: string): Result.Result<KnownResource, DocumentRefusal> =>
  Result.gen(function* () {
    const { resource_name, ...document } = yield* readDocument(ResourceDocument, text)
    // A token for another resource would be handed to this one.
    if (document.resource !== undefined && !isOfOrigin(document.resource, resource)) {
      return yield* refused("resource")
    }
    const [first = ""] = document.authorization_servers
    const server = yield* Result.mapError(readRemoteAddress(first), (): DocumentRefusal => "address")
    const name = lineOf(resource_name ?? "")
    return { metadata: { ...document, ...(name === "" ? {} : { resource_name: name }) }, server }
  })

const lacks = (listed: ReadonlyArray<string> | undefined, needed: string) =>
  listed !== undefined && !listed.includes(needed)

/** Reads the document of a server. A list that it leaves out says nothing against it. */
export const readServer = (server: URL, text: string): Result.Result<KnownServer, DocumentRefusal> =>
  Result.gen(function* () {
    const {
      authorization_response_iss_parameter_supported: namesItself = false,
      client_id_metadata_document_supported = false,
      ...document
    } = yield* readDocument(ServerDocument, text)
    const { authorization_endpoint, issuer, registration_endpoint, token_endpoint } = document
    const addresses = [issuer, authorization_endpoint, token_endpoint, registration_endpoint ?? issuer]
    if (!addresses.every(isAddress)) return yield* refused("address")
    if (trimmed(new URL(issuer)) !== trimmed(server)) return yield* refused("issuer")
    if (
      lacks(document.response_types_supported, "code") ||
      lacks(document.grant_types_supported, "authorization_code") ||
      lacks(document.code_challenge_methods_supported, "S256")
    ) {
      return yield* refused("unsupported")
    }
    return { metadata: { ...document, client_id_metadata_document_supported }, namesItself }
  })

/** How the server is best told about this service. */
export const modeOf = (server: AuthorisationServerMetadata): RemoteMode => {
  if (server.client_id_metadata_document_supported) return "cimd"
  return server.registration_endpoint === undefined ? "manual" : "dcr"
}
