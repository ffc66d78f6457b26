// Makes the tables and ends: what that takes besides (files, the tokenizer's own lists) goes with the thread.
import { parentPort } from 'node:worker_threads'
import { loadTables } from './tables.ts'

parentPort?.postMessage(await loadTables())
