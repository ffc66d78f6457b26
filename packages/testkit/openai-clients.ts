// The official clients, in the versions programs in the wild were written for.
export { default as OpenAI4, toFile as toFile4 } from 'openai-4'
export { default as OpenAI420 } from 'openai-4-20'
export { default as OpenAI433, toFile as toFile433 } from 'openai-4-33'
export { default as OpenAI4104 } from 'openai-4-104'
export { OpenAIRealtimeWS as RealtimeWS4104 } from 'openai-4-104/beta/realtime/ws'
export { default as OpenAI6, toFile as toFile6 } from 'openai-6'
export { default as OpenAI7 } from 'openai-7'
export { OpenAIRealtimeWS as RealtimeWS7 } from 'openai-7/realtime/ws'
