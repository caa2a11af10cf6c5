/** The other services whose accounts people may sign in with, as the operator has set them. */
import { Context, type Redacted } from "effect"
import type { ServiceElsewhere } from "./AuthProvider.ts"

/** This instance as the other service knows it, and which service that is. */
export interface ProviderElsewhere {
  readonly service: ServiceElsewhere
  /** Its name for people, where it is not the usual one of its kind. */
  readonly name?: string
  /** The address that its tokens are issued by; absent where the kind of service has one only, or issues none. */
  readonly issuer?: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** At most one of each kind, in the order in which they are shown. */
export const ProvidersElsewhere = Context.Reference<ReadonlyArray<ProviderElsewhere>>(
  "forum/domain/ProvidersElsewhere",
  { defaultValue: () => [] }
)
