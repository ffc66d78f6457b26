// LangChain and LangGraph as programs of December 2024 have them: another generation than the one beside it.
export { tool } from '@langchain/core/tools'
export { createReactAgent } from '@langchain/langgraph/prebuilt'
export { ChatOpenAI } from '@langchain/openai'
