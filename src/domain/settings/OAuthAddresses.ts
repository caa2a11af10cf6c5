import { Context } from "effect"
import { addressOf } from "./Deployment.ts"

/** The pages on which people sign in and decide about programs: those of a frontend, or those of the service itself. */
export class OAuthAddresses extends Context.Service<
  OAuthAddresses,
  {
    /** Where guests sign in. They are sent to exactly this address. */
    readonly signIn: URL
    /** Where people enter the code that a device shows, and decide about it. */
    readonly deviceConsent: URL
    /** Where people decide about a program that sent them here. */
    readonly codeConsent: URL
  }
>()("forum/domain/OAuthAddresses") {}

/** The addresses where the operator has set none: below that of the web. */
export const usualAddresses = (webUrl: URL): OAuthAddresses["Service"] => ({
  signIn: new URL(`${addressOf(webUrl)}/login`),
  deviceConsent: new URL(`${addressOf(webUrl)}/oauth/consent`),
  codeConsent: new URL(`${addressOf(webUrl)}/oauth/authorize/consent`)
})
