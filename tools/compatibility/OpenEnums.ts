/** The enumerations and unions that grow: who reads them has to expect values that they do not know. */

/** By their names in the description. docs/compatibility.md has them, too. */
export const openEnums: ReadonlyArray<string> = [
  "AccountAuthService",
  "AuditEvent",
  "AuditEventType",
  "Change",
  "DatagraphItem",
  "DatagraphItemKind",
  "InstanceCapability",
  "NotificationEvent",
  "OAuthGrant",
  "OAuthScope",
  "Permission",
  "WebhookDeliveryType",
  "WebhookEvent"
]

export const isOpen = (name: string | undefined): boolean => name !== undefined && openEnums.includes(name)
