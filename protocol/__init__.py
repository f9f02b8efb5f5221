"""The contract between server and clients: messages, their bytes, and the Python SDK; knows neither rules nor store."""
