/** As much of the package as the tests use, which has no types of its own. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

  class Grant {
    constructor(of: { readonly accountId: string; readonly clientId: string })
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  interface Token {
    readonly aud: string | undefined
    readonly scope: string | undefined
    readonly accountId: string
    readonly clientId: string
  }

  interface Interaction {
    readonly params: {
      readonly client_id: string
      readonly scope?: string
      readonly resource?: string
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: typeof Grant
    readonly AccessToken: { find(token: string): Promise<Token | undefined> }
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  const MemoryAdapter: new (model: string) => object
  export default MemoryAdapter
}
