/** What the operator lets programs say of themselves by documents. */
import { Context } from "effect"
import type { Permission } from "../shared/Permission.ts"

export interface DocumentSettings {
  /** Whether an address of a document names a client. */
  readonly enabled: boolean
  /** The permissions that such clients may ask for; the usual ones, if it names none. */
  readonly allowedPermissions: ReadonlyArray<Permission>
  /** Whether they may ask for permissions over other people and the instance, too. */
  readonly allowsPrivileged: boolean
  /** Whether documents may come by http, and from networks that are not public; for development. */
  readonly allowsInsecure: boolean
}

export const DocumentSettings = Context.Reference<DocumentSettings>("forum/domain/DocumentSettings", {
  defaultValue: () => ({
    enabled: false,
    allowedPermissions: [],
    allowsPrivileged: false,
    allowsInsecure: false
  })
})
