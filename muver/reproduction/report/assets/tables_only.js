// A page without predictions.

startLinks();
