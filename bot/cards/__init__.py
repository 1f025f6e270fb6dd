"""Character Cards V2 and V3: read with tolerance, turned into personas, written without loss."""
