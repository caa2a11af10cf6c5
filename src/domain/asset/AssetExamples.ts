export const photo = {
  id: "dc0qdt7khh6uivg0005g",
  filename: "dc0qdt7khh6uivg0005g-harbour-png",
  path: "/api/assets/dc0qdt7khh6uivg0005g-harbour-png",
  mime_type: "image/png",
  width: 1280,
  height: 720
} as const
