"""The built-in adapters, one scheme (or pair) per module. Third-party libraries are imported when one loads."""
