// The one browser that every test uses.
export const shared = {};
