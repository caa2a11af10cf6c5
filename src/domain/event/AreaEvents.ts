/** The events of all areas, one line an area. Such a module exports events and nothing else. */
/** The events of all areas, one line an area. Such a module exports events and nothing else. */
export * from "../account/AccountEvents.ts"
export * from "../calendar/CalendarEvents.ts"
export * from "../category/CategoryEvents.ts"
export * from "../collection/CollectionEvents.ts"
export * from "../library/LibraryEvents.ts"
export * from "../like/LikeEvents.ts"
export * from "../moderation/ModerationEvents.ts"
export * from "../profile/ProfileEvents.ts"
export * from "../reaction/ReactionEvents.ts"
export * from "../settings/SettingsEvents.ts"
export * from "../thread/ThreadEvents.ts"
