"""`muver serve`: indexes as a service, with a page to ask them."""
