export const completionsPath = '/v1/chat/completions'
