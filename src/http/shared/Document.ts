/** The description of the API (OpenAPI 3.1), derived from its definition. */
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { addressOf, type Deployment } from "../../domain/instance/Deployment.ts"
import { securitySchemes } from "./Access.ts"
import { examples } from "./document/Examples.ts"
import { isObject, type Json, type JsonObject, listAt, objectAt, sorted } from "./document/Json.ts"
import { type Declared, operationOf } from "./document/Operations.ts"
import { withProblems } from "./document/ProblemSchemas.ts"
import type { Sources } from "./document/Responses.ts"
import { tidy, withoutVariants } from "./document/Schemas.ts"
import { catalogueOf } from "./ProblemCatalogue.ts"

const root = "/api"

/** What of a deployment its description tells. */
export type Described = Pick<Deployment["Service"], "publicUrl" | "version">

const methods = ["get", "put", "post", "delete", "patch"]

const keyOf = (method: string, path: string) =>
  `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}").replace(/(.)\/$/, "$1")}`

const declaredOperations = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, Declared> => {
  const declared = new Map<string, Declared>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      declared.set(keyOf(endpoint.method, endpoint.path), { endpoint, middleware })
    }
  })
  return declared
}

/** Relative first: whoever reads the document on some host reaches the API there, with the cookie of that host. */
const serversOf = ({ publicUrl }: Described): ReadonlyArray<JsonObject> => [
  { url: publicUrl.pathname.replace(/\/+$/, "") + root, description: "Where this document was found" },
  { url: addressOf(publicUrl) + root, description: "The public address" }
]

const pathsOf = (paths: JsonObject, declared: ReadonlyMap<string, Declared>, sources: Sources): JsonObject =>
  sorted(
    Object.fromEntries(
      Object.entries(paths).map(([path, item]): [string, Json] => {
        const operations = methods.flatMap((method): ReadonlyArray<[string, Json]> => {
          const declaration = declared.get(keyOf(method, path))
          const operation = objectAt(item, method)
          return declaration === undefined ? [] : [[method, operationOf(operation, declaration, sources)]]
        })
        return [path.replace(root, ""), Object.fromEntries(operations)]
      })
    )
  )

/** The description of an API as one deployment serves it. */
export const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  deployment: Described
): JsonObject => {
  // Effect types the document by its parts; here it is JSON like any other.
  const derived = tidy(OpenApi.fromApi(api) as unknown as Json)
  const document = withoutVariants(isObject(derived) ? derived : {})
  const { problems, schemas } = withProblems(objectAt(document.components, "schemas"), catalogueOf(api))
  const sources: Sources = { schemas, problems, examples }
  return {
    openapi: "3.1.0",
    info: { ...objectAt(document, "info"), version: deployment.version },
    servers: serversOf(deployment),
    tags: listAt(document, "tags"),
    paths: pathsOf(objectAt(document, "paths"), declaredOperations(api), sources),
    components: {
      schemas: sorted(schemas),
      securitySchemes
    }
  }
}
