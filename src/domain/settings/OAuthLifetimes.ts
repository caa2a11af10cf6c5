import { Context } from "effect"

/** How long what leads to access tokens is valid, in seconds, as a deployment says; fixed from its start. */
export interface Lifetimes {
  /** Of a refresh token. Each that replaces another has the whole time again. */
  readonly refreshToken: number
  /** Of a code that an approval gives to a client. */
  readonly authorisationCode: number
  /** Of the code that a device shows. */
  readonly deviceCode: number
  /** How long a device waits before it asks again. */
  readonly devicePoll: number
}

export class OAuthLifetimes extends Context.Service<OAuthLifetimes, Lifetimes>()(
  "forum/domain/OAuthLifetimes"
) {}
