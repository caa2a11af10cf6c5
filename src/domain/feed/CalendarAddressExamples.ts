export const calendarAddress = {
  address: "http://localhost:8000/api/feeds/calendar.ics?key=wW5ce2nVSSeLB_1n8SxNVQwrYYbQYHS5-DDeLkTDkMU",
  createdAt: "2026-11-21T14:13:10.004Z"
} as const
